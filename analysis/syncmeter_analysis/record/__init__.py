"""What a results file holds: points, visits, the machine; read and checked."""
