"""scripts/fuzz fails where libFuzzer knows nothing of what an input reaches."""

import importlib.machinery
import importlib.util
import re
import shutil
import subprocess

import pytest
from documents import ROOT


@pytest.fixture
def script():
    loader = importlib.machinery.SourceFileLoader("fuzz_script", str(ROOT / "scripts/fuzz"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fuzz_script", loader))
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(("printed", "failures"), [
    ("INFO: Loaded 1 modules   (60000 inline 8-bit counters): 60000 [0x1, 0x2),", 0),
    ("INFO: Loaded 1 modules   (123 inline 8-bit counters): 123 [0x1, 0x2),", 1),
    ("INFO: seed corpus", 1),
])
def test_readers_whose_blocks_are_not_counted_are_no_success(printed, failures, script, tmp_path, capsys):
    program = tmp_path / "asan/bin/fuzzer"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{printed}'\necho 'stat::number_of_executed_units: 5'\n", encoding="utf-8")
    program.chmod(0o755)
    assert script.fuzz(program, "sass", 1, 1) == failures
    assert ("blocks of the readers are counted" in capsys.readouterr().out) == bool(failures)


#: Functions of each kind of name that the readers have, each with a branch.
SHAPES = """
#include <nlohmann/json.hpp>

namespace syncmeter {
int of_namespace(int n) { return n > 1 ? n : 2; }
namespace inner { int of_inner_namespace(int n) { return n > 1 ? n : 2; } }
namespace { int of_no_name(int n) { return n > 1 ? n : 2; } }
static int of_file(int n) { return n > 1 ? n : 2; }
template <class T> T of_template(T n) { return n > 1 ? n : 2; }
struct S {
  int member(int n) { return n > 1 ? n : 2; }
  int const_member(int n) const { return n > 1 ? n : 2; }
  int lvalue_member(int n) & { return n > 1 ? n : 2; }
  int const_lvalue_member(int n) const& { return n > 1 ? n : 2; }
  int rvalue_member(int n) && { return n > 1 ? n : 2; }
  bool operator==(const S&) const = default;
  int lambda_of_member(int n) const {
    const auto outer = [](int k) { const auto inner = [](int m) { return m > 1 ? m : 2; }; return k > 1 ? inner(k) : 2; };
    return outer(n);
  }
};
const auto of_variable = [](int n) { return n > 1 ? n : 2; };
int lambdas(int n) {
  struct Local { int member(int k) { return k > 1 ? k : 2; } };
  const auto outer = [](int k) {
    const auto inner = [](int m) {
      const auto innermost = [](int l) { return l > 1 ? l : 2; };
      return m > 1 ? innermost(m) : 2;
    };
    return k > 1 ? inner(k) : 2;
  };
  return outer(n) + Local().member(n);
}
int all(int n) {
  S s;
  return of_namespace(n) + inner::of_inner_namespace(n) + of_no_name(n) + of_file(n) + of_template(n) + s.member(n) +
         s.const_member(n) + s.lvalue_member(n) + s.const_lvalue_member(n) + S().rvalue_member(n) + s.lambda_of_member(n) +
         (s == S()) + of_variable(n) + lambdas(n);
}
nlohmann::json read(const char* text) { return nlohmann::json::parse(text); }
}  // namespace syncmeter
"""


def test_the_list_has_each_kind_of_function_of_the_readers(tmp_path):
    compiler = shutil.which("clang++")
    if compiler is None:
        pytest.skip("no clang++ here")
    (tmp_path / "shapes.cpp").write_text(SHAPES, encoding="utf-8")
    made = subprocess.run([compiler, "-std=c++20", "-w", "-fsanitize=fuzzer-no-link", "-S", "-emit-llvm", "-o-", "shapes.cpp",
                           f"-fsanitize-coverage-allowlist={ROOT / 'tests/fuzz/covered.txt'}"],
                          cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True).stdout  # fmt: skip
    functions = {name: "@__sancov_gen_" in body for name, body in re.findall(r'^define [^@]*@"?([\w$.]+)"?\((.*?)^}', made, re.M | re.S)}
    own = {name: counted for name, counted in functions.items() if re.match(r"_Z+N[KRO]*9syncmeter", name)}
    lambdas = [name for name in own if name.startswith("_ZZ")]
    assert len(own) >= 20 and len(lambdas) >= 6, "the shapes, in the names of this compiler"
    assert [name for name, counted in own.items() if not counted] == []
    of_json = {kind: [name for name in functions if re.match(rf"_ZN8nlohmann.*6detail\d+{kind}I", name)] for kind in ("lexer", "parser")}
    for kind, names in of_json.items():
        assert len(names) > 3 and all(functions[name] for name in names), kind
    assert not all(functions.values()), "not of every template of libraries"
