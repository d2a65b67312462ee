"""Where the statements come from."""

primitives = (
    "Burtchell and Burtscher, Characterizing CUDA and OpenMP Synchronization Primitives, IISWC 2024"
)
levels = "Zhang et al., A Study of Synchronization Methods in Modern GPUs (single and multi GPU)"
potato = 'the "hot potato" article on handing a flag from warp to warp'
lecture = "lecture on GPU programming"
belief = "widely held"

run_paper = "syncmeter run --study paper"
run_false_sharing = "syncmeter run --study false-sharing"
run_locks = "syncmeter run --study locks"
run_read_mostly = "syncmeter run --study read-mostly"
run_levels = "syncmeter run --study levels"
run_reductions = "syncmeter run --study reductions"
run_handoff = "syncmeter run --study handoff"
run_waiting = "syncmeter run --study waiting"
run_multi_gpu = "syncmeter run --study multi-gpu"
