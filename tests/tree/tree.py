# SPDX-License-Identifier: Apache-2.0
"""What the checks of the source tree share: finding files, and proving that a check can fail."""
import pathlib
import sys
import tempfile


def sources(root, *patterns):
    """Files under the root that match, as paths relative to it, sorted."""
    found = {path for pattern in patterns for path in pathlib.Path(root).glob(pattern)}
    return sorted(path.relative_to(root) for path in found if path.is_file())


def headers(root):
    """All headers of the library and the applications."""
    return sources(root, "libscan/**/*.hpp", "libscan/**/*.cuh", "apps/**/*.hpp", "apps/**/*.cuh")


def include_roots(root):
    """The folders that the paths of includes begin in: the repository's, and the applications' public ones."""
    return [pathlib.Path(root), *sorted(pathlib.Path(root).glob("apps/*/include"))]


def included(root, target):
    """The path in the repository of what `#include <target>` names; None if it has no such file."""
    for folder in include_roots(root):
        if (folder / target).is_file():
            return (folder / target).relative_to(root).as_posix()
    return None


def include_options(root):
    """What a compiler needs to find libscan's headers."""
    return [option for folder in include_roots(root) for option in ("-I", str(folder))]


def found_in(check, files):
    """What `check(root)` complains of in a tree made of `files`, a dict from path to text."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            target = pathlib.Path(root, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        return check(root)


def main(check, self_test):
    """Runs the self-test, then the check of the tree named by the one argument."""
    self_test()
    root = sys.argv[1]
    complaints = check(root)
    for complaint in complaints:
        print(complaint)
    files = len(headers(root))
    print(f"{files} headers, {len(complaints)} complaints")
    return 1 if complaints or files == 0 else 0
