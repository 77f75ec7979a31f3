"""What MariaDB's error codes say of a text, a run or the server."""

from __future__ import annotations

import re

import pymysql

from truespec.verdict import ReasonCode

SCOPE = {1046, 1051, 1052, 1054, 1066, 1109, 1146, 1305, 1327, 1370, 1630, 4031}
SYNTAX = {1064, 1065, 1149, 1300}
# A text that prepares may still be stopped: time, memory, packet, recursion, locks, lost connections.
STOPPED = {1969, 1317, 3024, 1041, 1037, 1038, 1021, 1114, 1205, 1213, 1301, 1153, 2006, 2013, 1436, 4098}
STOPPED |= {1615, 1461}  # prepared statements: one to be prepared again, or too many
# Overflow and out-of-range values: arithmetic is exact by contract, so these outcomes say nothing.
OVERFLOW = {1690, 1264, 1406, 1365, 1441, 1918}
LOST = {2006, 2013, 0}
FORBIDDEN = {1044, 1142, 1143, 1227, 1792}
_NO_ROUTINE = 1370
"""What a call of a function that is neither built in nor stored gets from an account that may call none."""


def kind(code: int) -> ReasonCode:
    """The reason for which a text that gets this error is invalid."""
    for codes, reason in (
        (SYNTAX, ReasonCode.SYNTAX),
        (SCOPE, ReasonCode.SCOPE),
        (FORBIDDEN, ReasonCode.FORBIDDEN),
    ):
        if code in codes:
            return reason
    return ReasonCode.TYPE


def shown(code: int, message: str) -> str:
    """What the engine says, which calls a function that does not exist one that the account may not call."""
    named = re.search(r"for routine '(.*)'\Z", message)
    return f"there is no function {named[1]}" if code == _NO_ROUTINE and named else message


def code_of(error: pymysql.Error) -> int:
    return int(error.args[0]) if error.args and isinstance(error.args[0], int) else 0
