"""Extraction measured against the rule sets that people wrote for the tau2-bench domains.

Without --model, the extractor is scripted: it repeats the written rules, but leaves some out, weakens the
formal part of some, breaks the formal part of some, and adds some with quotes that are in no source. So what
has to come out is known: recall is what was not left out, precision is 1, the added ones are dropped, the
broken ones go to judges, and no weakened one passes for equal. With --model, any model is measured.

Then the second and third check of formal parts are measured: faults are planted in the rules of the bundled
sets, and scripted extractors make them, each time alike or independently (`_planted_faults.py`). The command
fails where a bar is missed.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks._planted_faults import KINDS, SCRIPTS, planted, run, truths
from benchmarks._rule_readers import reply_of
from truespec.executors.extract import Extractor
from truespec.extraction.ask import POLICY, source_key
from truespec.extraction.measure import measure
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import share
from truespec.models.call import Call
from truespec.models.contract import Model
from truespec.models.function import FunctionModel
from truespec.models.registry import open_model
from truespec.rules.compare import Toolbox
from truespec.rules.language import load_rules
from truespec.rules.sets import set_names, set_text
from truespec.rules.yaml_text import load_yaml
from truespec.store.calls import CallLedger
from truespec.traces import Trace
from truespec.traces.importers.registry import files_below, read

ROOT = Path(os.environ.get("TRUESPEC_SOURCES", "../shared/sources")) / "traces"
WEAKENED, BROKEN, LEFT_OUT, INVENTED = 1, 2, 3, 4
"""What happens to the written rules, by their number modulo 7; an invented rule stands beside a kept one."""


def main(arguments: list[str] | None = None) -> None:
    """Print a row for each domain."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks extraction")
    parser.add_argument("--quick", action="store_true", help="the first domain only")
    parser.add_argument("--model", help="a model to measure")
    options = parser.parse_args(arguments)
    if options.model is None:
        _planted(options.quick)
    if not ROOT.is_dir():
        print(f"no traces below {ROOT}; set TRUESPEC_SOURCES")
        return
    for domain in set_names()[: 1 if options.quick else None]:
        trace = _trace(domain)
        if trace is None:
            print(f"{domain}: no trace with a prompt and tools")
            continue
        with tempfile.TemporaryDirectory() as folder, CallLedger(Path(folder) / "calls.sqlite") as ledger:
            _measure(domain, trace, ledger, options.model)


BARS = {
    "independent faults, reads well": (0.97, 0.10),
    "the same fault each time, reads well": (0.97, 0.02),
    "independent faults, misreads 1 of 50": (0.97, 0.30),
    "the same fault each time, misreads 1 of 50": (0.92, 0.25),
}
"""For each script, the least share of faults caught, and the greatest share of right rules lost."""


def _planted(quick: bool) -> None:
    """The table of planted faults; exits where a bar is missed."""
    found = truths(set_names()[-1:] if quick else ())
    wrong = planted(found)
    print(
        f"{len(found)} written rules, {len(wrong)} of them with a planted fault that passes the first check"
    )
    missed = []
    for script in SCRIPTS:
        made = run(script, found, wrong)
        caught = Proportion(made.planted.total() - made.slipped.total(), made.planted.total())
        least, most = BARS[script.name]
        print(f"{script.name}")
        print(f"    caught {share(caught)}, mended {made.mended.total()}; bar {least:.0%}")
        print(f"    right rules lost {share(Proportion(made.lost, made.good))}; bar {most:.0%}")
        for kind in KINDS:
            kept = Proportion(made.planted[kind] - made.slipped[kind], made.planted[kind])
            print(f"    {kind:<16} caught {share(kept)}")
        for line in made.named:
            print(f"      {line}")
        if made.caught < least or made.lost_share > most:
            missed.append(script.name)
    if missed:
        sys.exit(f"bar missed: {', '.join(missed)}")


def _measure(domain: str, trace: Trace, ledger: CallLedger, name: str | None) -> None:
    written = load_yaml(set_text(domain))
    fate = _fates([r for r in written["rules"] if r.get("category", "output") in POLICY])
    model: Model = open_model(name) if name else FunctionModel("scripted", _script(written, fate))
    extractor = Extractor({model.name: model}, ledger, model.name, categories=POLICY)
    extractor.extract([trace])
    policy = extractor.policies[source_key(trace)]
    rules = [one.rule for one in policy.extraction.rules]
    reference = [r for r in load_rules(set_text(domain), domain) if r.category in POLICY]
    found = measure(rules, reference, trace.system_prompt or "", Toolbox(trace.tools))
    routes = Counter(one.route for one in policy.extraction.rules)
    print(
        f"{domain:<8} {len(rules):>3} rules, {routes['deterministic']} to monitors; "
        f"{len(policy.extraction.dropped)} dropped, {len(policy.extraction.merged)} said twice"
    )
    print(f"         precision {share(Proportion(len(found.matches), found.extracted))}")
    print(f"         recall    {share(Proportion(len(found.matches), found.reference))}")
    told = ", ".join(f"{count} {relation}" for relation, count in sorted(found.relations.items()))
    print(f"         formal parts of matched rules: {told}")
    for why, count in Counter(
        o.why.split(":")[0] for o in policy.extraction.rules if o.route == "semantic"
    ).items():
        print(f"         {count:>3} to judges: {why}")
    for category, why in policy.lost.items():
        print(f"         {category} not extracted: {why}")
    if name is None:
        counts = Counter(fate.values())
        equal = {m.reference.id for m in found.matches if m.relation == "equal"}
        wrong = [rule for rule, what in fate.items() if what == WEAKENED and rule in equal]
        print(
            f"         known: {counts[LEFT_OUT]} left out, {counts[INVENTED]} added with a false quote, "
            f"{counts[BROKEN]} formal parts broken, {counts[WEAKENED]} weakened "
            f"({len(wrong)} of them pass for equal)"
        )


def _trace(domain: str) -> Trace | None:
    """A trace of a domain whose prompt holds most of the written quotes."""
    quotes = [r.quote for r in load_rules(set_text(domain), domain) if r.quote]
    best, most = None, -1
    for path in files_below([ROOT / "tau2"]):
        if not path.name.startswith(f"{domain}__"):
            continue
        first = next((item for item in read(path) if isinstance(item, Trace)), None)
        if first is not None and first.system_prompt and first.tools:
            held = sum(quote in first.system_prompt for quote in quotes)
            if held > most:
                best, most = first, held
    return best


def _fates(rules: list[dict[str, Any]]) -> dict[str, int]:
    """What the script does to each rule; only formal parts can be weakened or broken."""
    fates = {}
    for number, rule in enumerate(rules):
        what = number % 7
        formal = "formal" in rule and rule.get("category") != "forbidden_edge"
        fates[rule["id"]] = (
            what if what in (LEFT_OUT, INVENTED) or (formal and what in (WEAKENED, BROKEN)) else 0
        )
    return fates


def _script(written: dict[str, Any], fate: dict[str, int]) -> Callable[[Call], str]:
    shared = written.get("define") or {}

    def reply(call: Call) -> str:
        category = call.subject.split("/")[1]
        if category in ("formalise", "settle", "read_back"):
            return checked(category, call)
        listed = []
        for rule in written["rules"]:
            if rule.get("category", "output") != category or fate[rule["id"]] == LEFT_OUT:
                continue
            made = {key: rule[key] for key in ("id", "text", "quote", "severity", "force") if key in rule}
            if "formal" in rule:
                formal = copy.deepcopy(rule["formal"])
                formal["define"] = {**shared, **(rule.get("define") or {}), **(formal.get("define") or {})}
                if fate[rule["id"]] == WEAKENED:
                    formal = _weaker(formal)
                elif fate[rule["id"]] == BROKEN:
                    formal["template"] = "never_ever"
                made["formal"] = formal
            listed.append(made)
            if fate[rule["id"]] == INVENTED:
                listed.append({**made, "id": f"more-{rule['id']}", "quote": f"always mind {rule['id']} well"})
        edges = [
            {**made, "reason": made["text"], "from": _tool(made, "a"), "to": _tool(made, "b")}
            for made in listed
            if category == "forbidden_edge"
        ]
        return json.dumps({"edges": edges} if category == "forbidden_edge" else {"rules": listed})

    def checked(question: str, call: Call) -> str:
        """Formalises again with the same fault, and reads conversations by what it means."""
        name = call.subject.split("/")[3]
        item = next((one for one in written["rules"] if name in _names(one, shared)), None)
        if item is None:
            return json.dumps({"formal": None, "kept": "unclear", "answer": "unclear"})
        formal = copy.deepcopy(item["formal"])
        formal["define"] = {**shared, **(item.get("define") or {}), **(formal.get("define") or {})}
        if fate.get(item["id"]) == WEAKENED:
            formal = _weaker(formal)
        (meant,) = load_rules(json.dumps([{"id": name, "text": "t", "formal": formal}]))
        answer = reply_of(call, meant) if question != "formalise" else None
        return json.dumps({"formal": formal, "kept": answer, "answer": answer})

    return reply


def _names(rule: dict[str, Any], shared: dict[str, Any]) -> set[str]:
    """The names under which extraction may take a rule."""
    if rule.get("category") != "forbidden_edge":
        return {rule["id"], f"more-{rule['id']}"}
    made = {"formal": {**rule["formal"], "define": shared}}
    edge = f"no-{_tool(made, 'a')}-then-{_tool(made, 'b')}"
    return {re.sub(r"[^a-z0-9]+", "-", edge.lower()).strip("-")[:60]}


def _tool(rule: dict[str, Any], end: str) -> Any:
    """The tool at an end of a forbidden edge."""
    formal = rule["formal"]
    predicate = formal[end]
    return (formal["define"][predicate] if isinstance(predicate, str) else predicate)["call"]


def _weaker(formal: dict[str, Any]) -> dict[str, Any]:
    """A formal part that says less: it holds its peace where anybody has said a certain word before."""
    hushed = {**formal["define"], "hush": {"message": "user", "text": "hush"}}
    if "require" in formal:
        return {**formal, "require": f"({formal['require']}) | O hush", "define": hushed}
    a = formal["a"]
    names = {**hushed, "first": a, "second": formal.get("b", True)}
    bodies = {
        "precedence": ("second", "O first | O hush"),
        "response": ("first", "F second | O hush"),
        "not_succession": ("second", "!Y O first | O hush"),
        "absence": ("first", "O hush"),
    }
    when, require = bodies.get(formal["template"], ("first", "O hush"))
    rest: dict[str, Any] = {key: formal[key] for key in ("bind", "over", "results") if key in formal}
    return {**rest, "when": names[when], "require": require, "define": names}
