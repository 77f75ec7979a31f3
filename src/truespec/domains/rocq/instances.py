"""What the refuter knows of data types: instances of its classes, as sentences.

By these it enumerates, draws, shows and compares values (`Data.v`, `Draw.v`). An instance that Rocq refuses
is left out: a type whose fields have no values of known types is not searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from truespec.domains.rocq.datatypes import SORTS, Constructor, DataType, Family, uses

CONS, NIL = "Coq.Init.Datatypes.cons", "Coq.Init.Datatypes.nil"
PAIR, FST, SND = "Coq.Init.Datatypes.pair", "Coq.Init.Datatypes.fst", "Coq.Init.Datatypes.snd"


def search_instances(family: Family) -> Iterator[list[str]]:
    """What the search needs of the types of a family: for each instance the sentences that make it."""
    yield _equality(family)
    yield _iterated(family, "Sample", "Truespec.Sample.Sample", _samples, _no_samples, "Truespec.Data.depth")
    yield _iterated(family, "Show", "Truespec.Sample.Show", _shown, _not_shown, None)
    for type_ in family:
        if all(not one.fields for one in type_.constructors):
            yield _finite(type_)
        for constructor in type_.constructors:
            yield from _inversions(type_, constructor)


def draw_instances(family: Family) -> Iterator[list[str]]:
    """What drawing values and asking specifications for them needs besides."""
    yield _iterated(family, "Draw", "Truespec.Draw.Draw", _draws, _some, "Truespec.Sample.size")
    for type_ in family:
        yield [_answers(type_)]


def _binders(family: Family, class_: str) -> str:
    """The parameters of a family, each type with an instance of the class."""
    bound: list[str] = []
    for name, kind in family[0].parameters:
        bound.append(f"({name} : {kind})")
        if kind in SORTS:
            bound.append(f"(Truespec_of_{name} : {class_} {name})")
    return " ".join(bound)


def _given(family: Family) -> str:
    names = (
        [name, f"Truespec_of_{name}"] if kind in SORTS else [name] for name, kind in family[0].parameters
    )
    return " ".join(name for pair in names for name in pair)


def _equality(family: Family) -> list[str]:
    """Decided equality, by recursion on the first value where the type is recursive."""
    class_ = "Truespec.Sample.EqDec"
    bound, given = _binders(family, class_), _given(family)
    names = [f"Truespec_equal_{one.short}" for one in family]
    recursive = any(uses(family, field) for one in family for c in one.constructors for field in c.fields)
    by = " {struct Truespec_x}" if recursive else ""
    goals = [
        f"{name} {bound} (Truespec_x Truespec_y : {one.applied}){by} : "
        "Coq.Init.Specif.sumbool (Truespec_x = Truespec_y) (Coq.Init.Logic.not (Truespec_x = Truespec_y))"
        for name, one in zip(names, family, strict=True)
    ]
    known = "".join(
        f"pose proof ({name} {given} : {class_} {one.applied}); clear {name}; "
        for name, one in zip(names, family, strict=True)
        if recursive
    )
    return [
        f"{'Fixpoint' if recursive else 'Definition'} {' with '.join(goals)}.",
        f"all: {known}Truespec.Data.decide_data.",
        "Defined.",
        *(
            f"#[local] Instance {name}_instance {bound} : {class_} {one.applied} := {name} {given}."
            for name, one in zip(names, family, strict=True)
        ),
    ]


def _iterated(
    family: Family,
    label: str,
    class_: str,
    step: Callable[[DataType, Family], str],
    zero: Callable[[DataType], str],
    levels: str | None,
) -> list[str]:
    """Instances for all types of a family at once, from those for the values one level below.

    `levels` is the number of levels as a function of the fuel, or None for that of a text.
    """
    bound, given = _binders(family, class_), _given(family)
    classes = [f"({class_} {one.applied})" for one in family]
    product = " * ".join(classes)
    below = " ".join(
        f"(Truespec_below_{one.short} : {type_})" for one, type_ in zip(family, classes, strict=True)
    )
    steps = _tuple([step(one, family) for one in family])
    zeros = _tuple([zero(one) for one in family])
    parts = _components("Truespec_r", len(family))
    name = f"Truespec_{label}_{family[0].short}"
    if levels is not None:  # types that use each other take turns
        levels = f"(fun Truespec_f => Coq.Init.Nat.mul {len(family)} ({levels} Truespec_f))"
    sentences_ = [
        f"Definition {name} {bound} (Truespec_n : Coq.Init.Datatypes.nat) : ({product})%type := "
        f"@Truespec.Data.iterate ({product})%type Truespec_n "
        f"(fun Truespec_r => (fun {below} => {steps}) {' '.join(parts)}) {zeros}."
    ]
    for one, type_, part in zip(family, classes, _components("Truespec_all", len(family)), strict=True):
        depth = "Truespec.Data.shown_depth" if levels is None else f"({levels} Truespec_f)"
        value = f"(let Truespec_all := {name} {given} {depth} in {part})"
        body = value if levels is None else f"fun Truespec_f => {value} Truespec_f"
        sentences_.append(f"#[local] Instance Truespec_{label}_of_{one.short} {bound} : {type_} := {body}.")
    return sentences_


def _components(whole: str, count: int) -> list[str]:
    parts: list[str] = []
    for _ in range(count - 1):
        parts.append(f"({FST} {whole})")
        whole = f"({SND} {whole})"
    return [*parts, whole]


def _tuple(values: Sequence[str]) -> str:
    *rest, last = values
    for value in reversed(rest):
        last = f"({PAIR} {value} {last})"
    return f"({last})"


def _list(items: Sequence[str]) -> str:
    return "".join(f"({CONS} {item} " for item in items) + NIL + ")" * len(items)


def _samples(type_: DataType, family: Family) -> str:
    built = [
        f"(Truespec.Data.build Truespec_f {_list([type_.at_parameters(one)])})" for one in type_.constructors
    ]
    return f"(fun Truespec_f => Truespec.Data.in_turn (T := {type_.applied}) {_list(built)})"


def _no_samples(type_: DataType) -> str:
    return f"(fun _ => @{NIL} {type_.applied})"


def _shown(type_: DataType, family: Family) -> str:
    cases: list[str] = []
    for one in type_.constructors:
        names = [f"a{number}" for number in range(len(one.fields))]
        head = (
            " ".join([f"@{one.shown}", *("_" for _ in type_.parameters)]) if type_.parameters else one.shown
        )
        shown = [f'"{head}"%string', *(f"(Truespec.Sample.show {name})" for name in names)]
        text = f"(Truespec.Data.written {_list(shown)})"
        if len(head.split()) + len(names) > 1:
            text = f'(Coq.Strings.String.append "("%string (Coq.Strings.String.append {text} ")"%string))'
        cases.append(f"{type_.pattern(one, names)} => {text}")
    return f"(fun x : {type_.applied} => match x with {' | '.join(cases)} end)"


def _not_shown(type_: DataType) -> str:
    return '(fun _ => "?"%string)'


def _draws(type_: DataType, family: Family) -> str:
    several = any(
        sum(uses(family, field) for field in one.fields) > 1
        for member in family
        for one in member.constructors
    )
    made = [f"(Truespec.Draw.made {type_.at_parameters(one)})" for one in type_.constructors]
    drawn = f"(Truespec.Draw.one_of (T := {type_.applied}) {made[0]} {_list(made)})"
    for one in family if several else ():
        below = f"Truespec_below_{one.short}"
        drawn = (
            f"((fun {below} : Truespec.Draw.Draw {one.applied} => {drawn}) (Truespec.Draw.halved {below}))"
        )
    return drawn


def _some(type_: DataType) -> str:
    return f"(fun _ _ _ => ltac:(Truespec.Draw.some_value 4%nat) : {type_.applied})"


def _finite(type_: DataType) -> list[str]:
    values = _list([type_.at_parameters(one) for one in type_.constructors])
    bound = " ".join(f"({name} : {kind})" for name, kind in type_.parameters)
    return [
        f"#[local] Instance Truespec_finite_{type_.short} {bound} : Truespec.Data.Finite {type_.applied}.",
        f"refine (Truespec.Data.Build_Finite _ {values} _); intros []; simpl; tauto.",
        "Defined.",
    ]


def _inversions(type_: DataType, constructor: Constructor) -> Iterator[list[str]]:
    """Each argument of a constructor is determined by the value."""
    bound = " ".join(f"({name} : {kind})" for name, kind in type_.parameters)
    names = [f"a{number}" for number in range(len(constructor.fields))]
    inside = [f"b{number}" for number in range(len(constructor.fields))]
    value = f"({' '.join([type_.at_parameters(constructor), *names])})"
    otherwise = f" | _ => {NIL}" if len(type_.constructors) > 1 else ""
    label = f"Truespec_inverse_{constructor.name.replace('.', '_')}"
    for number, name in enumerate(names):
        case = f"{type_.pattern(constructor, inside)} => {_list([inside[number]])}"
        rest = " ".join(one for one in names if one != name)
        for side, equation in (("l", f"s = {value}"), ("r", f"{value} = s")):
            yield [
                f"#[local] Instance {label}_{number}_{side} {bound} "
                f"(s : {type_.applied}) {rest} : Truespec.Support.Within (fun {name} => {equation}) "
                f"(match s with {case}{otherwise} end).",
                "intros Truespec_x Truespec_h; subst; simpl; auto.",
                "Qed.",
            ]


def _answers(type_: DataType) -> str:
    """Where a specification distinguishes the cases of a value, it asks for what the case asks for."""
    numbers = range(len(type_.constructors))
    names = [[f"a{number}" for number in range(len(one.fields))] for one in type_.constructors]
    bound = [f"({name} : {kind})" for name, kind in type_.parameters]
    premises: list[str] = []
    for number, arguments in zip(numbers, names, strict=True):
        given = " ".join(arguments)
        applied = (f"({letter}{number} {given})" for letter in "Pcd")
        forall = f"forall {given}, " if arguments else ""
        premises.append(f"(h{number} : {forall}Truespec.Calls.Answers {' '.join(applied)})")
    variables = " ".join(f"{letter}{number}" for number in numbers for letter in "Pcd")

    def cases(letter: str, last: str = "") -> str:
        rows = (
            f"{type_.pattern(one, names[number])} => {letter}{number} {' '.join(names[number])} {last}"
            for number, one in enumerate(type_.constructors)
        )
        return f"match t with {' | '.join(rows)} end"

    return (
        f"#[local] Instance Truespec_answers_{type_.short} {' '.join(bound)} "
        f"(B : Type) (t : {type_.applied}) {variables} {' '.join(premises)} : "
        f"Truespec.Calls.Answers (fun y : B => {cases('P', 'y')}) "
        f"({cases('c')}) ({cases('d')}) | 2 := {{}}."
    )
