"""A guard: the rules of one conversation, asked before each act, by whoever carries acts out.

```python
guard = Guard(load_file(Path("policy.yml")), tools=TOOLS, log="decisions.jsonl")
guard.observe({"role": "user", "content": "Refund order 7, please."})
try:
    answer = await guard.call("refund", {"order": 7}, refund)
except Blocked as blocked:
    answer = str(blocked)               # tell the model what to do instead
```

Check, run and record are one step: calls of a conversation take turns, so no two of them can both pass a rule
that allows one. A rule that had to be evaluated and cannot be stands against every act, unless its file says
`required: false`. A rule's `action` (`block`, `ask`, `report`) says what is done where it would be broken; by
default, mandatory rules block and advisory ones are reported.
"""

from __future__ import annotations

import inspect
import threading
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from truespec.guard.decision import Action, Blocked, Decision, Objection
from truespec.guard.diary import Diary
from truespec.guard.inputs import Said, messages_from
from truespec.guard.log import Log
from truespec.guard.plain import plain
from truespec.guard.policy import (
    STRICTNESS,
    WORDS,
    Names,
    action_of,
    counts_calls,
    schemas_of,
)
from truespec.guard.running import Outcome, approved, called, finished, outcome_text, parsed, plain_outcome
from truespec.guard.turn import Turn
from truespec.rules.finding import Violation
from truespec.rules.history import TIMES
from truespec.rules.monitor import Monitor
from truespec.rules.rule import Rule
from truespec.traces.redact import Hiding
from truespec.traces.trace import Message, Source, ToolCall, ToolSchema, Trace, TraceError
from truespec.verdict import UsageError

Ask = Callable[[Decision], "bool | Awaitable[bool]"]
"""Puts an act before a person; True where the person approves, False or None where not."""
ALONE = (
    "the guard sees calls one by one, and the rule counts the calls of a message; use `whole_messages` and "
    "`admit_message`"
)
"""Why a rule about the calls of a message is not evaluated when calls come alone."""


class Guard:
    """The rules of one conversation, asked before each act."""

    def __init__(
        self,
        rules: Sequence[Rule],
        *,
        tools: Sequence[ToolSchema] | Sequence[Mapping[str, Any]] | None = None,
        types: Mapping[str, str] | None = None,
        domain: str | None = None,
        prompt: str | None = None,
        conversation: str | None = None,
        log: str | Path | None = None,
        ask: Ask | None = None,
        whole_messages: bool = False,
        clock: Callable[[], float] = time.time,
        hiding: Hiding | None = None,
    ) -> None:
        """`tools` are the agent's tools, ours or as OpenAI, Anthropic or MCP describe them: with them, a call
        of any other tool is blocked. `types` says of each whether it is `read`, `write` or `generic`.

        `ask` puts an act before a person; without it, what would be asked is blocked. With `whole_messages`,
        calls pass through `admit_message` in the messages that hold them, and rules may count the calls of a
        message. `clock` gives the time in seconds since 1970, for messages that come without one. `hiding` is
        hidden in the log; what is checked and carried out stays as it is.
        """
        self.conversation = conversation or uuid.uuid4().hex
        """The conversation's name in the log."""
        self._rules = {rule.id: rule for rule in rules}
        if len(self._rules) < len(rules):
            raise UsageError("two rules have the same id; each objection names its rule by it")
        self._tools = schemas_of(tools, types)
        source = Source("guard", str(log or ""), "", self.conversation)
        self._trace = Trace(self.conversation, (), source, prompt, self._tools, domain=domain)
        self._monitor = Monitor(tuple(rules), self._trace)
        self._whole = whole_messages
        self._alone = [] if whole_messages else [rule.id for rule in rules if counts_calls(rule)]
        self._names = Names(rules, self._tools)
        self._ask = ask
        self._clock = clock
        self._over: list[Violation] | None = None
        self._carried = 0
        self._turn = Turn()
        self._mutex = threading.RLock()
        self._open: dict[str, ToolCall] = {}
        self._count = self._calls = 0
        kept = Log(Path(log), self.conversation) if log is not None else None
        self._diary = Diary(kept, hiding, self._trace)
        self._diary.start([rule.summary() for rule in rules])

    @property
    def not_evaluated(self) -> dict[str, str]:
        """Rules of which nothing is known here, with the reason."""
        return {**self._monitor.not_evaluated, **dict.fromkeys(self._alone, ALONE)}

    @property
    def absent_tools(self) -> dict[str, list[str]]:
        """For each rule that names tools which the agent does not have, these tools: a rule that speaks of no
        other says nothing here."""
        return dict(self._names.absent)

    def observe(self, said: Said, role: str = "user") -> list[Violation]:
        """Take what was said or done elsewhere; the breaches that became certain by it.

        A result has to answer a call that is open: anything else is a `TraceError`.
        """
        found = []
        with self._mutex:
            self._still_on()
            for message in messages_from(said, role):
                if message.role == "tool" and message.call_id in self._open:
                    call = self._open.pop(message.call_id)
                    found += self._answer(call, message.text or "", message.error)
                    continue
                if message.role == "tool" and self._monitor.asked(message) is None:
                    raise TraceError(f"a result with the identifier {message.call_id!r} answers no open call")
                found += self._record(message)
        return found

    def decide(self, tool: str, arguments: Any, *, text: str | None = None) -> Decision:
        """What would be decided about a call now. Nothing is recorded, so it reserves nothing."""
        with self._mutex:
            call, refused = self._read(tool, arguments, None)
            message = self._timed(Message("assistant", text, (call,)))
            return self._judged(message, refused, call.name)

    async def call(
        self,
        tool: str,
        arguments: Any,
        run: Any,
        *,
        id: str | None = None,
        text: str | None = None,
        outcome: Outcome = plain_outcome,
    ) -> Any:
        """Check a call, carry it out and record its result, in one turn; `Blocked` where it may not pass.

        `run` is called with the arguments by name, or with all of them as one value, or with nothing,
        whichever it takes; what it returns is awaited where that is possible. The arguments it is given are
        the copy that was checked. `text` is what the agent said with the call. `outcome` reads what `run`
        gave: the text of the result, and whether the call failed, where that is known. A call that is
        cancelled while it runs has no result: nobody knows whether it took effect.
        """
        async with self._turn.taken():
            decision, call = await self._asked(tool, arguments, id, text)
            if call is None:
                raise Blocked(decision)
            with self._running():
                try:
                    made = called(run, plain(call.arguments))
                    value = finished(await made if inspect.isawaitable(made) else made)
                except Exception as error:
                    self._answer(call, f"{type(error).__name__}: {error}", True)
                    raise
                self._answer(call, *outcome(value))
                return value

    def call_now(
        self,
        tool: str,
        arguments: Any,
        run: Any,
        *,
        id: str | None = None,
        text: str | None = None,
        outcome: Outcome = plain_outcome,
    ) -> Any:
        """As `call`, for callers without an event loop; other threads wait for their turn."""
        with self._turn.taken_by_thread():
            decision, call = self._asked_now(tool, arguments, id, text)
            if call is None:
                raise Blocked(decision)
            with self._running():
                try:
                    value = finished(called(run, plain(call.arguments)))
                except Exception as error:
                    self._answer(call, f"{type(error).__name__}: {error}", True)
                    raise
                self._answer(call, *outcome(value))
                return value

    async def admit(self, tool: str, arguments: Any, *, id: str, text: str | None = None) -> Decision:
        """Check a call that somebody else carries out, and record it where it may pass.

        Its result has to be reported by `result`, with the same identifier.
        """
        decision, _ = await self._asked(tool, arguments, id, text, keep=True)
        return decision

    def admit_now(self, tool: str, arguments: Any, *, id: str, text: str | None = None) -> Decision:
        """As `admit`, for callers without an event loop."""
        decision, _ = self._asked_now(tool, arguments, id, text, keep=True)
        return decision

    def admit_message(self, said: Said) -> Decision:
        """Check a whole message of the agent with all its calls, and record it where it may pass.

        Its calls are carried out by others, who tell how they ended by `result`. What would be asked is
        blocked: a person approves single calls.
        """
        with self._mutex:
            self._still_on()
            (message,) = messages_from(said, "assistant")
            read = [
                self._read(c.name, c.raw if c.arguments is None else c.arguments, c.id) for c in message.calls
            ]
            refused = [problem for _, problems in read for problem in problems]
            named_twice = Counter(c.id for c in message.calls if c.id is not None)
            refused += [f"two calls have the identifier {i!r}" for i, n in named_twice.items() if n > 1]
            calls = tuple(call for call, _ in read)
            extra = message.extra
            named = self._timed(
                Message("assistant", message.text, calls, reasoning=message.reasoning, extra=extra)
            )
            decision = self._judged(named, refused, ", ".join(call.name for call in calls) or None)
            self._diary.decision(decision, named)
            if decision.allowed:
                self._record(named)
                for before, call in zip(message.calls, calls, strict=True):
                    self._open[before.id or call.id or ""] = call
            return decision

    def result(self, id: str, output: Any, error: bool | None = None) -> list[Violation]:
        """Record how a call ended that was let pass; `error` where the caller knows whether it failed."""
        with self._mutex:
            self._still_on()
            call = self._open.pop(id, None)
            if call is None:
                raise TraceError(f"a result with the identifier {id!r} answers no open call")
            return self._answer(call, outcome_text(output), error)

    def owed(self) -> list[Violation]:
        """The open obligations: what would be broken if the conversation ended now."""
        with self._mutex:
            return self._monitor.owed()

    def finish(self) -> list[Violation]:
        """The conversation is over: what is still owed is broken. Nothing passes from then on.

        A call that runs meanwhile still gets its result, and the log too; no rule looks at it any more.
        """
        with self._mutex:
            if self._over is not None:
                return self._over
            left = self._over = self._monitor.finish()
            self._diary.end(left, self.not_evaluated)
            self._close_diary()
            return left

    @contextmanager
    def _running(self) -> Iterator[None]:
        """While a call is carried out that was let pass."""
        try:
            yield
        finally:
            with self._mutex:
                self._carried -= 1
                self._close_diary()

    def _close_diary(self) -> None:
        """Nothing is written any more once the conversation is over and no call runs."""
        if self._over is not None and not self._carried:
            self._diary.close()

    async def _asked(
        self, tool: str, arguments: Any, id: str | None, text: str | None, keep: bool = False
    ) -> tuple[Decision, ToolCall | None]:
        """The decision, a person's included, and the recorded call where it may pass."""
        decision, call = self._passed(tool, arguments, id, text, keep)
        if decision.action == Action.ASK and self._ask is not None:
            answer = self._ask(decision)
            yes = approved(await answer if inspect.isawaitable(answer) else answer)
            return self._passed(tool, decision.arguments, id, text, keep, decision, yes)
        return decision, call

    def _asked_now(
        self, tool: str, arguments: Any, id: str | None, text: str | None, keep: bool = False
    ) -> tuple[Decision, ToolCall | None]:
        decision, call = self._passed(tool, arguments, id, text, keep)
        if decision.action == Action.ASK and self._ask is not None:
            answer = self._ask(decision)
            if inspect.isawaitable(answer):
                if inspect.iscoroutine(answer):
                    answer.close()
                raise UsageError("'ask' has to be awaited: use `await guard.call`, or a plain function")
            return self._passed(tool, decision.arguments, id, text, keep, decision, approved(answer))
        return decision, call

    def _passed(
        self,
        tool: str,
        arguments: Any,
        id: str | None,
        text: str | None,
        keep: bool,
        asked: Decision | None = None,
        yes: bool = False,
    ) -> tuple[Decision, ToolCall | None]:
        """Decide about a call, and record it where it may pass; both at once. With `keep`, its result is
        reported by somebody else.

        `asked` is the decision that a person answered with `yes` or no. What stood against the act then is
        settled by that; what has come up since is not.
        """
        with self._mutex:
            self._still_on()
            if self._whole:
                raise UsageError("this guard takes whole messages (`whole_messages`): use `admit_message`")
            call, refused = self._read(tool, arguments, id)
            message = self._timed(Message("assistant", text, (call,)))
            decision = self._judged(message, refused, tool)
            if asked is not None:
                settled = {one.rule_id for one in asked.objections if one.action == Action.ASK}
                standing = {one.rule_id for one in decision.objections if one.action != Action.ALLOW}
                action = Action.ALLOW if yes and standing <= settled else Action.BLOCK
                decision = replace(decision, action=action, asked=True)
            self._diary.decision(decision, message)
            if not decision.allowed:
                return decision, None
            self._record(message)
            if not keep:
                self._carried += 1
            elif id is not None:
                self._open[id] = call
            return decision, call

    def _read(self, tool: str, arguments: Any, id: str | None) -> tuple[ToolCall, list[str]]:
        """A call with plain arguments and an identifier of its own, and what speaks against any such call."""
        self._calls += 1
        problems = []
        raw = None
        name = str.__str__(tool) if isinstance(tool, str) else ""
        try:
            if isinstance(arguments, str | bytes):
                raw = arguments if isinstance(arguments, str) else arguments.decode("utf-8", "replace")
                arguments = parsed(raw)
            given = plain(arguments if arguments is not None or raw is not None else {})
            if not isinstance(given, dict):
                raise ValueError("the arguments are no JSON object")
        except ValueError as error:
            problems.append(str(error))
            given = None
        if id is not None and id in self._open:
            problems.append(f"a call with the identifier {id!r} is still open")
        if problem := self._names.problem_of(name):
            problems.append(problem)
        call = ToolCall(
            name, given, f"{id or 'call'}/{self._calls}", raw=None if given is not None else str(raw)
        )
        return call, problems

    def _judged(self, message: Message, refused: Sequence[str], tool: str | None) -> Decision:
        """What the rules say of a message of the agent, if it were the next."""
        outlook = self._monitor.look_ahead(message)
        objections = [
            Objection("guard", f"Not a call that can be checked: {why}.", Action.BLOCK, why)
            for why in refused
        ]
        for violation in outlook.violations:
            rule = self._rules[violation.rule_id]
            action = action_of(rule)
            objections.append(Objection(rule.id, rule.text, action, violation.quote, rule.hint))
        unknown = {**outlook.not_evaluated, **dict.fromkeys(self._alone, ALONE), **outlook.unread}
        for name, reason in unknown.items():
            rule = self._rules[name]
            if rule.needed:
                action = WORDS.get(rule.action, Action.BLOCK)
                objections.append(Objection(name, rule.text, action, reason, rule.hint, evaluated=False))
        strictest = max((one.action for one in objections), key=STRICTNESS.index, default=Action.ALLOW)
        self._count += 1
        arguments = (message.calls[0].arguments if len(message.calls) == 1 else None) or {}
        return Decision(strictest, tool, arguments, tuple(objections), unknown, number=self._count)

    def _answer(self, call: ToolCall, text: str, error: bool | None) -> list[Violation]:
        """Take the result of a call; after the end, the log alone takes it."""
        with self._mutex:
            message = Message("tool", text, call_id=call.id, tool=call.name, error=error)
            if self._over is not None:
                self._diary.message(self._timed(message))
                return []
            return self._record(message)

    def _record(self, message: Message) -> list[Violation]:
        """Take a message as having happened; the log has it first."""
        self._still_on()
        message = self._timed(message)
        self._diary.message(message)
        found = self._monitor.observe(message)
        self._diary.broken(found)
        return found

    def _timed(self, message: Message) -> Message:
        """The message with a time, for rules that ask how long something takes."""
        extra = message.extra or {}
        if any(extra.get(key) is not None for key in TIMES):
            return message
        return replace(message, extra={**extra, "timestamp": self._clock()})

    def _still_on(self) -> None:
        if self._over is not None:
            raise UsageError(
                "the conversation is over: `finish` was called; use a guard of its own for another"
            )
