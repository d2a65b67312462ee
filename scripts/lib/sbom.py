"""What the programs of a build hold and are linked to, as CycloneDX 1.5: their shared libraries (ldd), and the packages
whose headers were compiled into them (what the build noted of each object). A package's version is dpkg's, its licence
that of its copyright file; where there is no dpkg a library stands alone, by its file.
"""

import json
import os
import re
import shutil
import subprocess
import uuid
from pathlib import Path

#: Debian's short names, and what SPDX calls the same.
SPDX = {
    "Expat": "MIT", "BSL-1.0": "BSL-1.0", "BSD-3-clause": "BSD-3-Clause", "BSD-3-clause or GPL-2": "BSD-3-Clause OR GPL-2.0-only",
    "LGPL-2.1+": "LGPL-2.1-or-later", "APACHE-2-LLVM-EXCEPTIONS": "Apache-2.0 WITH LLVM-exception", "GPL-2": "GPL-2.0-only",
    "Apache-2.0": "Apache-2.0",
}
#: Source packages whose copyright file is prose.
PROSE = {
    "glibc": "LGPL-2.1-or-later", "gcc": "GPL-3.0-or-later WITH GCC-exception-3.1", "hwloc": "BSD-3-Clause",
    "linux": "GPL-2.0-only WITH Linux-syscall-note",
}


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout


def programs_in(folder):
    """The programs that were compiled: the driver and its workers."""
    found = [path for path in sorted(folder.glob("syncmeter*")) if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    if not found:
        raise SystemExit(f"{folder} has no programs: build first, or name another --build")
    return found


def libraries_of(program):
    """name -> file."""
    return dict(re.findall(r"^\s*(\S+) => (/\S+)", output_of("ldd", program), re.MULTILINE))


def headers_of(build):
    """What the objects of the programs were compiled from, of this system; not those of the tests."""
    headers = set()
    for entry in output_of("ninja", "-C", build, "-t", "deps").split("\n\n"):
        target, *files = entry.splitlines() or [""]
        if not target.startswith("tests/"):
            headers |= {os.path.normpath(file.strip()) for file in files if file.strip().startswith("/usr/")}
    return headers


def packages_of(files):
    """file -> package, of the files that dpkg knows."""
    if not files or not shutil.which("dpkg"):
        return {}
    names = {}  # a package may have a file by its place before /lib became /usr/lib
    for file in sorted(files):
        real = os.path.realpath(file)
        names.update({name: file for name in (file, real, real.removeprefix("/usr")) if name})
    found = {}
    for line in output_of("dpkg", "-S", *names).splitlines():
        package, _, name = line.partition(": ")
        if name in names and not package.startswith("diversion "):
            found[names[name]] = package.split(",")[0].strip()
    return found


def licence_of(package, source):
    base = re.sub(r"-[\d.]+$", "", source)
    if base in PROSE:
        return {"expression": PROSE[base]}
    try:
        text = Path(f"/usr/share/doc/{package.split(':')[0]}/copyright").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    name = re.search(r"^Files: \*\n(?:.*\n)*?License: *(.+)$", text, re.MULTILINE)
    if not text.startswith("Format:") or not name:
        return {"license": {"name": f"see /usr/share/doc/{package.split(':')[0]}/copyright"}}
    short = name[1].strip()
    return {"expression": SPDX[short]} if short in SPDX else {"license": {"name": short}}


def distribution():
    found = re.search(r'^ID="?([\w-]+)', Path("/etc/os-release").read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else "linux"


def package_components(packages):
    """By bom-ref."""
    if not packages:
        return {}
    form = "${binary:Package}\t${Version}\t${source:Package}\t${source:Version}\t${Architecture}\n"
    components = {}
    for line in output_of("dpkg-query", "-W", "-f", form, *sorted(packages)).splitlines():
        package, version, source, source_version, architecture = line.split("\t")
        name = package.split(":")[0]
        licence = licence_of(package, source)
        components[name] = {
            "type": "library", "bom-ref": name, "name": name, "version": version,
            **({"licenses": [licence]} if licence else {}),
            "purl": f"pkg:deb/{distribution()}/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}",
            "properties": [{"name": "syncmeter:source", "value": f"{source} {source_version}"}],
        }
    return components


def sbom(build, name, version, commit, time):
    """The text of the bill; the same for the same build and commit."""
    programs = programs_in(build / "bin")
    libraries = {program.name: libraries_of(program) for program in programs}
    headers = headers_of(build)
    files = {file for linked in libraries.values() for file in linked.values()}
    packages = packages_of(files | headers)
    components = package_components(set(packages.values()))
    for linked in libraries.values():
        for soname, file in linked.items():
            if file not in packages:
                components[soname] = {"type": "library", "bom-ref": soname, "name": soname}
    compiled_in = {packages[file].split(":")[0] for file in headers if file in packages}
    whole = f"{name}-{version}"
    dependencies = {whole: sorted([*libraries, *compiled_in])}
    for program, linked in libraries.items():
        components[program] = {"type": "application", "bom-ref": program, "name": program, "version": version,
                               "licenses": [{"expression": "BSD-3-Clause"}]}
        dependencies[program] = sorted({packages.get(file, soname).split(":")[0] for soname, file in linked.items()})
    bill = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {
            "timestamp": time,
            "component": {"type": "application", "bom-ref": whole, "name": name, "version": version,
                          "licenses": [{"expression": "BSD-3-Clause"}],
                          "properties": [{"name": "syncmeter:commit", "value": commit}]}},
        "components": [components[ref] for ref in sorted(components)],
        "dependencies": [{"ref": ref, "dependsOn": dependencies[ref]} for ref in sorted(dependencies)],
    }
    text = json.dumps(bill, sort_keys=True)
    bill["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, text)}"
    return json.dumps(bill, indent=2) + "\n"
