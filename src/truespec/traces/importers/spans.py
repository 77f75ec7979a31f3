"""From spans to a conversation, for every source that records units of work rather than messages.

Each model call carries the conversation so far; what is new in it is appended. Calls and results are known
by their identifiers wherever they have one, texts by their place in the thread. Calls of sub-agents, whose
conversations start differently, form threads of their own and stand in the order of time. Tools' spans
answer calls (`span_runs.py`). What the census finds and no message holds is put in its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from truespec.traces.importers.conventions import (
    MODELS,
    RawSpan,
    conversation_of,
    ends_of,
    first,
    inputs_of,
    outputs_of,
    prompt_of_span,
    tools_of,
)
from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.merged_calls import without_merged
from truespec.traces.importers.pairing import in_history, in_order, paired
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.repeats import (
    JOINED,
    RENAMED,
    joined,
    renamed,
    told_once,
    under,
    without_empty,
)
from truespec.traces.importers.same_calls import without_named
from truespec.traces.importers.second_records import recorded_again, told_at_once
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.importers.span_kinds import kinds_of
from truespec.traces.importers.span_places import Conversation, placed, related
from truespec.traces.importers.span_runs import LATEST, Entry, Runs
from truespec.traces.importers.span_unread import (
    tell_around,
    tell_left,
    tell_silent,
    tell_unheld,
    tell_unread,
)
from truespec.traces.importers.threads import Thread, is_unique, keys_of, reduced
from truespec.traces.importers.workflow_steps import RULE as STEPS
from truespec.traces.importers.workflow_steps import endings, held_in, telling_steps
from truespec.traces.trace import Message, ToolCall, ToolSchema

COMPLETED = "a text that a later request tells beside known calls is of the message with these calls"
_UNTOLD = ("CHAIN", "SPAN", "UNKNOWN", "FUNCTION")
"""Kinds that do not say what a span does."""


def conversation(raws: Iterable[RawSpan], notes: Notes | None = None) -> Conversation:
    """The messages of a trace's spans, with each span's place in them."""
    ordered = sorted(enumerate(raws), key=lambda item: (str(item[1].start or ""), item[0]))
    return _Builder([raw for _, raw in ordered], notes or Notes()).build()


class _Builder(Runs):
    def __init__(self, spans: Sequence[RawSpan], notes: Notes) -> None:
        super().__init__(notes)
        self.spans = spans
        self.place = notes.place
        self.threads: list[Thread] = []
        self.parents = {raw.id: raw.parent for raw in spans}
        self.kinds = kinds_of(spans)
        self.apart = recorded_again(spans, self.kinds, self.parents, notes.ledger)
        """Spans that record again what the span around them holds whole."""
        self.kinds |= dict.fromkeys(self.apart, "CHAIN")
        self.telling = told_at_once(spans, self.kinds)
        """Agents that hold what their models said, where no model call is recorded."""
        self.kinds |= dict.fromkeys(self.telling, "LLM")
        stepped = set() if "LLM" in self.kinds.values() else telling_steps(spans)
        self.kinds |= dict.fromkeys(stepped, "RECORD")
        notes.ledger.rules.update({STEPS: len(stepped)} if stepped else {})
        self.endings = endings(spans) if stepped else {}
        """What a workflow without a model call's span gave in the end."""
        self.ran = "TOOL" in self.kinds.values()
        """Whether spans of tools say what their calls gave."""
        self.said: dict[int, tuple[ToolCall, ...]] = {}
        """The calls of the latest reply in each thread."""
        self.names: dict[str, str] = {}
        """Identifiers of calls under which a history repeats them, each with the call's own."""
        self.began: dict[str, int] = {}
        self.tools: dict[str, ToolSchema] = {}
        self.tools_listed = False
        self.model: str | None = None
        self.agent: str | None = None

    def build(self) -> Conversation:
        models = False
        tools = {raw.name for raw in self.spans if self.kinds[raw.id] == "TOOL"}
        for raw in self.spans:
            self.began[raw.id] = len(self.entries)
            self.notes.place = f"{self.place}, span {raw.id}"
            self._about(raw)
            kind = self.kinds[raw.id]
            if kind in ("LLM", "RECORD"):
                read = self._model(raw)
                models = read or models
                if not read:
                    self.notes.ledger.rules["a model call's span without any message is passed over"] += 1
                    tell_silent(raw, self.notes)
            elif kind == "TOOL":
                self.add_run(raw)
            elif kind in _UNTOLD and raw.name not in tools and (rule := self.runs_tool(raw, self.tools)):
                self.kinds[raw.id] = "TOOL"
                self.notes.ledger.rules[rule] += 1
                self.add_run(raw)
        if not models:
            self._ends()
        self.notes.place = self.place
        self.settle(models)
        self.answers_behind(self.telling)
        messages = in_order([entry.message for entry in self.entries], self.notes.ledger)
        messages = paired(messages, self.notes.ledger, [entry.thread for entry in self.entries])
        for entry, message in zip(self.entries, messages, strict=True):
            entry.message = message
        self._recover()
        for span, reply in list(self.endings.items())[-1:]:
            known = {entry.message.text for entry in self.entries}
            for message in messages_of_item(reply, Notes()):
                if message.text and message.text not in known:
                    self._put(replace(message, calls=()), span, None)
        if "RECORD" in self.kinds.values():
            beside = [raw for raw in self.spans if self.kinds[raw.id] not in ("TOOL", "EMBEDDING", "RECORD")]
            tell_left(beside, [entry.message for entry in self.entries], self.notes, self.place)
        self._prompt()
        said = [entry.message for entry in self.entries]
        around = [raw for raw in self.spans if models or raw.failed]
        tell_around(around, self.kinds, self.places, said, self.notes)
        return self._result()

    def _prompt(self) -> None:
        """A system prompt that only the spans around the model calls hold."""
        if not self.entries or any(entry.message.role == "system" for entry in self.entries):
            return
        for raw in self.spans:
            prompt = prompt_of_span(raw) if self.kinds[raw.id] not in ("LLM", "TOOL", "EMBEDDING") else None
            if prompt:
                self.entries.insert(0, Entry(Message("system", prompt, position=raw.id), raw.id))
                self.notes.ledger.rules["a system prompt is taken from the span around the model calls"] += 1
                return

    def _about(self, raw: RawSpan) -> None:
        attributes = raw.attributes
        listed = tools_of(attributes)
        if listed is not None:
            self.tools_listed = True
            self.tools.update({tool.name: tool for tool in listed})
        self.agent = self.agent or first(attributes, "gen_ai.agent.name", "agent.name")
        if self.kinds[raw.id] == "LLM":
            self.model = self.model or first(attributes, *MODELS)

    def _put(self, message: Message, span: str, thread: Thread | None, past: bool = False) -> Entry:
        entry = Entry(message if message.position else replace(message, position=span), span, past=past)
        entry.thread = id(thread) if thread is not None else None
        for key in keys_of(message):
            if key[1] is not None and key[0] != "text":
                self.known[key] += 1
            if thread is not None:
                thread.add(key, span)
        for call in message.calls:
            self.notes.called.setdefault(call.name, []).append(call.id)
            if call.id is not None:
                self.calls[call.id] = call
                self.answered.discard(call.id)  # some models use an identifier again
        if message.role == "tool" and message.call_id is not None:
            self.answered.add(message.call_id)
        self.entries.append(entry)
        return entry

    def _model(self, raw: RawSpan) -> bool:
        inputs, outputs = inputs_of(raw, self.notes), outputs_of(raw, self.notes)
        instructions = [
            message for message in outputs if message.role == "system"
        ]  # a response repeats its instructions
        if instructions:
            outputs = [message for message in outputs if message.role != "system"]
            inputs = inputs if any(message.role == "system" for message in inputs) else instructions + inputs
        if not inputs and not outputs:
            return False
        outputs = without_merged(outputs, self.notes)
        asked = {message.text for message in inputs if message.role == "user"}
        told = {message.text for message in outputs if message.role == "user"}
        if told and (not asked or told & asked):
            # What it gave is the request made ready, or with its reply behind it.
            inputs, outputs = [m for m in inputs if m.role == "system"] + outputs, []
        if not inputs:
            self.notes.ledger.rules["a model call's span without its request adds the reply alone"] += 1
        if not outputs and self.kinds[raw.id] == "LLM":
            self.notes.ledger.rules["a model call's span without a reply adds none"] += 1
        if not self.ran:
            inputs = in_history(inputs, self.answered, self.notes.ledger)
        inputs = told_once(inputs, self.notes.ledger)
        inputs = without_empty(inputs, self.answered, self.notes.ledger, self.notes.place)
        thread = self._thread_of([key for message in inputs for key in keys_of(message)])
        inputs = self._as_known(inputs, thread)
        self.said[id(thread)] = tuple(call for message in outputs for call in message.calls)
        at = 0
        seen: Counter[tuple[Any, ...]] = Counter()
        before = len(thread.atoms)
        for message in inputs:
            fresh, at = self._fresh(message, thread, at, seen, before)
            if raw is self.spans[0] and not keys_of(message) and message.reasoning:
                fresh = message  # a thought alone; later requests would repeat it
            if fresh is not None and not self._completed(message, fresh, thread):
                entry = self._put(fresh, raw.id, thread, past=True)
                if not outputs:
                    self.places[raw.id] = entry
        for message in outputs:
            fresh = self._said(message, thread, at, raw)
            if fresh is not None:
                self.places.setdefault(raw.id, self._put(fresh, raw.id, thread))
        return True

    def _as_known(self, inputs: Sequence[Message], thread: Thread) -> list[Message]:
        """A history with the identifiers under which its calls are known."""
        inputs = [under(message, self.names) for message in inputs]
        latest = self.said.get(id(thread), ())
        adopted = {str(pair[1].id): pair[1] for call in latest if (pair := self.adopted.get(id(call)))}
        said = [*adopted.values(), *(call for call in latest if id(call) not in self.adopted)]
        others = renamed(inputs, said, self.calls)
        for told in [name for name, own in others.items() if own in adopted]:
            self.rename(adopted[others.pop(told)], told)
            self.notes.ledger.rules[RENAMED] += 1
        if not others:
            return inputs
        self.notes.ledger.rules[RENAMED] += len(others)
        self.names |= others
        return [under(message, others) for message in inputs]

    def _thread_of(self, keys: Sequence[tuple[Any, ...]]) -> Thread:
        if self.threads and not keys:
            return self.threads[-1]
        best, score = None, (0, 0)
        conversed = any(key[:2] != ("text", "system") for key in keys)
        for thread in reversed(self.threads):
            spoken, system = thread.shared(keys)
            called = sum(
                1 for key in keys if key[0] == "result" and key[1] and self._asked_in(thread, key[1])
            )
            if ((spoken or called) or (system and not conversed)) and (spoken + called, system) > score:
                best, score = thread, (spoken + called, system)
        if best is None:
            best = Thread()
            self.threads.append(best)
        return best

    def _asked_in(self, thread: Thread, identifier: str) -> bool:
        call = self.calls.get(identifier)
        return call is not None and ("call", identifier, call.name) in thread.places

    def _fresh(
        self,
        message: Message,
        thread: Thread,
        at: int,
        seen: Counter[tuple[Any, ...]],
        before: int | None = None,
    ) -> tuple[Message | None, int]:
        """What is new in a message of the input; None if nothing is. Also how far the thread is known.

        `before` is how long the thread was before this input: what the input says twice was said twice.
        """
        new: list[tuple[Any, ...]] = []
        for key in keys_of(message):
            place = thread.find(key, at)
            if place is not None and before is not None and place >= before:
                place = None
            if key[1] is not None and key[0] != "text":
                seen[key] += 1
                if place is not None:
                    at = max(at, place + 1)
                if seen[key] <= self.known[key]:
                    if key[0] == "result":
                        self.correct(message, seen[key])
                    elif (call := self.calls.get(key[1])) is not None and call.arguments is None:
                        self.fill(message, key[1])
                    continue
                new.append(key)
            elif place is not None:
                at = place + 1
            elif key[0] == "result" and self.given[key[2]] > 0:
                self.given[key[2]] -= 1
                thread.add(key, "")
            elif key[0] == "result" and joined(message.text, self.outputs[-LATEST:]):
                self.notes.ledger.rules[JOINED] += 1
                thread.add(key, "")
            else:
                new.append(key)
        if not new:
            return None, at
        return reduced(message, new), at

    def _completed(self, message: Message, fresh: Message, thread: Thread) -> bool:
        """Whether what is new is the text of a reply of which so far the calls alone were known."""
        if not message.calls or fresh.calls or fresh.role != "assistant" or not fresh.text:
            return False
        named = {call.id for call in message.calls if call.id is not None}
        entry = next((e for e in self.entries if named & {call.id for call in e.message.calls}), None)
        if entry is None or (entry.message.text is not None and not named & self.filled):
            return False
        entry.message = replace(entry.message, text=fresh.text)
        for key in keys_of(fresh):
            thread.add(key, entry.span)
        self.notes.ledger.rules[COMPLETED] += 1
        return True

    def _said(self, message: Message, thread: Thread, at: int, raw: RawSpan) -> Message | None:
        """What is new in a reply: all but what another record of the same model call has said."""
        new = []
        for key in keys_of(message):
            place = thread.find(key, at)
            twin = place is not None and related(self.parents, thread.by[place], raw.id)
            if key[1] is not None and key[0] != "text":
                if self.known[key] and (twin or key[1] not in self.answered or is_unique(key)):
                    continue
            elif twin or (key[2] == "None" and self._told_twice(thread, at, raw)):
                continue
            new.append(key)
        if not new:
            return message if not keys_of(message) and message.reasoning else None
        return reduced(message, new)

    def _told_twice(self, thread: Thread, at: int, raw: RawSpan) -> bool:
        """Whether a span around this one, or inside it, tells what the reply was; `None` stands for none."""
        return any(related(self.parents, by, raw.id) for by in thread.by[at:] if by)

    def _ends(self) -> None:
        """Without a model call that says something: agents' conversations, or what spans took and gave."""
        for raw in self.spans:
            if self.kinds[raw.id] in ("TOOL", "EMBEDDING"):
                continue
            made = conversation_of(raw, self.notes)
            if made:
                thread = self._thread_of([key for message in made for key in keys_of(message)])
                at, seen, before = 0, Counter[tuple[Any, ...]](), len(thread.atoms)
                for message in made:
                    fresh, at = self._fresh(message, thread, at, seen, before)
                    if fresh is not None:
                        self.places.setdefault(raw.id, self._put(fresh, raw.id, thread))
        if any(entry.run is None for entry in self.entries):
            return
        tools, self.entries = self.entries, []
        outer = [raw for raw in self.spans if self.kinds[raw.id] not in ("TOOL", "EMBEDDING")]
        # Where one of several spans says what its messages are, the others' values are not taken for texts.
        told = [raw for raw in outer if ends_of(raw, Notes(), unread=False)]
        agents = [raw for raw in told if self.kinds[raw.id] == "AGENT"]
        inner = [raw for raw in agents if raw.parent in self.parents] or agents
        for raw in inner or told or outer:
            made = self._new_in(ends_of(raw, self.notes), raw)
            for message in made:
                named = replace(message, name=raw.attributes.get("gen_ai.agent.name"))
                if message is made[-1] and message.role == "assistant":
                    self.entries, tools = [*self.entries, *tools], []  # tools ran before the last reply
                self.places.setdefault(raw.id, self._put(named, raw.id, None))
            if made and not inner:
                break
        self.entries += tools
        if not inner:
            said = [entry.message for entry in self.entries]
            tell_left(told or outer, said, self.notes, self.place, unread=not told)

    def _new_in(self, messages: Sequence[Message], raw: RawSpan) -> list[Message]:
        """The messages without those that a span both took and gave."""
        thread = Thread()
        at, seen, made = 0, Counter[tuple[Any, ...]](), []
        for message in messages:
            fresh, at = self._fresh(message, thread, at, seen)
            if fresh is not None:
                made.append(fresh)
                for key in keys_of(fresh):
                    thread.add(key, raw.id)
                at = 0 if len(made) == 1 else at
        return made

    def _recover(self) -> None:
        """Calls and results that stand in the spans but in no message so far."""
        order = {raw.id: number for number, raw in enumerate(self.spans)}
        taken = {call.id for entry in self.entries for call in entry.message.calls} | set(self.names)
        answered = {entry.message.call_id for entry in self.entries}
        spans = [
            replace(raw, attributes={}, events=()) if raw.id in self.apart else raw for raw in self.spans
        ]
        calls, results = held_in(spans, self.endings)
        missing = without_named(
            [(number, call) for key, (number, call) in calls.items() if key not in taken],
            [call for entry in self.entries for call in entry.message.calls],
        )
        found = {call.id for _, call in missing}
        late = [
            (number, result)
            for key, (number, result) in results.items()
            if key not in answered and (key in taken or key in found)
        ]
        for number, call in missing:
            self._insert(number, order, Message("assistant", None, (call,), position=self.spans[number].id))
        for number, result in late:
            span = self.spans[number].id
            self.behind(result.call_id, Entry(replace(result, position=span), span))
        if missing:
            rule = "a call that only other attributes of a span hold is put in that span's place"
            self.notes.ledger.rules[rule] += len(missing)
        if not taken and not missing:
            tell_unread(self.spans, self.notes)
            tell_unheld(self.spans, self.notes)
        if late:
            rule = "a result that only other attributes of a span hold is put behind its call"
            self.notes.ledger.rules[rule] += len(late)

    def _insert(self, number: int, order: Mapping[str, int], message: Message) -> None:
        at = next((i for i, e in enumerate(self.entries) if order.get(e.span, 0) > number), len(self.entries))
        self.entries.insert(at, Entry(message, self.spans[number].id))

    def _result(self) -> Conversation:
        messages = [entry.message for entry in self.entries]
        index = {id(entry): number for number, entry in enumerate(self.entries)}
        by_span: dict[str, int] = {}
        for number, entry in enumerate(self.entries):
            by_span.setdefault(entry.span, number)
        places = {span: index[id(entry)] for span, entry in self.places.items() if id(entry) in index}
        for span, number in by_span.items():
            places.setdefault(span, number)
        if self.notes.tools:
            self.tools_listed = True
            self.tools.update(
                {t.name: t for t in tool_schemas(self.notes.tools) or () if t.name not in self.tools}
            )
        return Conversation(
            tuple(messages),
            placed(self.spans, self.kinds, places, self.began, len(messages)),
            tuple(self.tools.values()) if self.tools_listed else None,
            None if self.model is None else str(self.model),
            None if self.agent is None else str(self.agent),
        )
