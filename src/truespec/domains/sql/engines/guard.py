"""What a query may do before any engine sees it: read the declared tables with known, pure functions.

The engines' own limits hold whatever passes here; see the other modules of this folder.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from truespec.domains.sql.places import place_of
from truespec.domains.sql.text.lexer import Lexeme, Shape, Source, lex
from truespec.verdict import Nondeterministic, Place, ReasonCode, SpecificationError, Unsupported

# sqlglot reports on standard error what it cannot parse; here that is an answer, not an incident.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


MAX_TEXT = 100_000
"""Longest query that is read, in characters."""
MAX_NODES = 50_000
"""Largest tree that is walked."""
MAX_COUNT = 10_000
"""Largest number that REPEAT, LPAD and their like may be given."""

_FORBIDDEN_NODES: tuple[Any, ...] = (
    exp.Into,
    exp.Lock,
    exp.Command,
    exp.DDL,
    exp.DML,
    exp.Drop,
    exp.Alter,
    exp.Set,
    exp.Use,
    exp.Pragma,
    exp.Attach,
    exp.Detach,
    exp.Copy,
    exp.LoadData,
    exp.Transaction,
    exp.Commit,
    exp.Rollback,
    exp.Kill,
    exp.TruncateTable,
    exp.Parameter,
    exp.SessionParameter,
    exp.Placeholder,
    exp.ReadCSV,
    exp.ReadParquet,
    exp.NextValueFor,
    exp.ToFile,
)
_STATEMENTS = words(
    """
    ALTER ANALYSE ANALYZE ATTACH BEGIN CALL CHECKPOINT COMMIT COPY CREATE DEALLOCATE DELETE DETACH DO DROP
    EXECUTE EXPLAIN EXPORT FLUSH GRANT HANDLER IMPORT INSERT INSTALL KILL LOAD LOCK MERGE OPTIMIZE PRAGMA
    PREPARE RENAME REPLACE RESET REVOKE ROLLBACK SET SHOW SHUTDOWN START TRUNCATE UNLOCK UPDATE USE VACUUM
    """
)
"""The first word of a text that is no query."""
_LOCKS = words("UPDATE SHARE NO KEY")
"""What follows FOR in a clause that locks rows."""
_FORBIDDEN_NAMES = re.compile(
    r"sleep|benchmark|load_file|load_extension|(?:get|release|is_free|is_used)_(?:all_)?locks?|"
    r"master_.*|sys_.*|current_setting|set_config|dblink.*|lo_.*|query_to_xml.*|table_to_xml.*|"
    r"pg_(?:sleep|read|ls|stat_file|file|terminate|cancel|advisory|try_advisory|reload|rotate|notify|"
    r"logical|replication|switch|backup|start|stop|create|drop|export|import|promote|wal|log).*|"
    r"database_to_xml.*|schema_to_xml.*|cursor_to_xml.*|nextval|setval|currval|lastval|last_insert_id|"
    r"read_.*|write_.*|sniff_csv|glob|parquet_.*|duckdb_.*|getenv|getvariable|query|query_table|"
    r"writefile|readfile|edit|txid_.*",
    re.IGNORECASE,
)
"""Functions that do more than compute: they wait, lock, read files or settings, or change something."""
_IMPURE_NAMES = re.compile(
    r"rand|random|randomblob|uuid.*|sysdate|now|curdate|curtime|current_.*|utc_.*|localtime.*|gen_random.*|"
    r"connection_id|user|session_user|system_user|database|schema|version|row_count|found_rows|changes|"
    r"total_changes|last_insert_rowid|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|"
    r"unix_timestamp|setseed|sqlite_.*|today|get_current_.*|inet_.*|txid|any_value",
    re.IGNORECASE,
)
_IMPURE: tuple[Any, ...] = (
    exp.Rand,
    exp.Randn,
    exp.Uuid,
    exp.CurrentDate,
    exp.CurrentDatetime,
    exp.CurrentTime,
    exp.CurrentTimestamp,
    exp.CurrentUser,
    exp.CurrentDatabase,
    exp.CurrentSchema,
    exp.CurrentVersion,
    exp.SessionUser,
    exp.Localtime,
    exp.Localtimestamp,
    exp.UtcDate,
    exp.UtcTime,
    exp.UtcTimestamp,
    exp.TableSample,
)
_PURE = words(
    """
    Abs Acos And AnyValue Ascii Asin Atan Atan2 Avg BitwiseAndAgg BitwiseOrAgg BitwiseXorAgg Case Cast
    Ceil Chr Coalesce Concat ConcatWs Contains Corr Cos Cot Count CountIf CovarPop CovarSamp CumeDist
    Date DateAdd DateDiff DateFromParts DateStrToDate DateSub DateToDateStr DateTrunc Datetime
    DatetimeAdd DatetimeDiff DatetimeSub DatetimeTrunc Day DayOfMonth DayOfWeek DayOfWeekIso DayOfYear
    Dayname Degrees DenseRank Elt EndsWith Exists Exp Extract First FirstValue Floor FromBase64 Greatest
    GroupConcat Grouping GroupingId Hex Hour If Initcap JustifyDays Lag Last LastDay LastValue Lead
    Least Left Length Ln Log LogicalAnd LogicalOr Lower MD5 MakeInterval Max Median Min Minute Mode
    Month Monthname MonthsBetween Ntile NthValue Nullif Nvl2 NumberToStr Or Overlay Pad PercentRank
    PercentileCont PercentileDisc Pi Pow Quarter Radians Rank RegexpLike RegexpILike RegexpReplace
    RegexpInstr RegexpSubstr Repeat Replace Reverse Right Round RowNumber SHA SHA2 Second Sign Sin
    Soundex Space Split SplitPart Sqrt StartsWith Stddev StddevPop StddevSamp StrPosition StrToDate
    StrToTime Substring SubstringIndex Sum Tan Time TimeAdd TimeDiff TimeFromParts TimeStrToDate
    TimeStrToTime TimeSub TimeToStr TimeToUnix TimeTrunc Timestamp TimestampAdd TimestampDiff
    TimestampFromParts TimestampSub TimestampTrunc ToChar ToDays ToNumber Translate Trim Trunc TryCast
    TsOrDiToDi TsOrDsAdd TsOrDsDiff TsOrDsToDate TsOrDsToDateStr TsOrDsToDatetime TsOrDsToTime
    TsOrDsToTimestamp Unhex Unicode Upper Variance VariancePop Week WeekOfYear Xor Year YearOfWeek
    UnixToTime UnixToStr GenerateSeries ExplodingGenerateSeries Unnest Collate Booland Boolor Bool EqualNull
    Factorial Cbrt Struct Map VarMap ToMap StructExtract Array List
    """
)
_PURE_NAMES = words(
    """
    find_in_set subdate adddate field elt strcmp instr locate position mid ucase lcase char_length
    length octet_length bit_length format makedate maketime period_add period_diff to_days from_days
    dayname monthname date_format time_format timestampadd timestampdiff addtime subtime timediff
    sec_to_time time_to_sec microsecond weekday dayofweek dayofyear yearweek weekofyear last_day
    truncate mod div conv bin oct hex unhex ord char insert quote lpad rpad ltrim rtrim sign crc32
    isnull nullif nvl nvl2 interval std stddev stddev_pop stddev_samp var_pop var_samp variance bit_and
    bit_or bit_xor bit_count group_concat total julianday strftime date time datetime printf typeof iif
    instr likelihood likely unlikely unicode zeroblob to_char to_date to_number to_timestamp age
    date_part date_trunc initcap split_part string_agg btrim bool_and bool_or every regexp_replace
    regexp_matches regexp_substr regexp_instr quote_literal quote_nullable make_date make_time
    width_bucket scale trunc ceil ceiling floor round power exp ln log log2 log10 sqrt abs greatest
    least coalesce concat concat_ws upper lower substr substring replace reverse repeat left right trim
    md5 sha1 sha2 ascii chr count sum avg min max rank dense_rank row_number ntile lag lead first_value
    last_value nth_value percent_rank cume_dist percentile_cont percentile_disc median grouping
    grouping_id json_group_array list_value len datediff datesub dateadd date_diff date_sub date_add
    strlen contains starts_with ends_with prefix suffix if ifnull quarter values generate_series
    extractvalue updatexml json_each json_tree struct_pack struct_extract list_value map map_extract row
    """
)
_GROWING = (exp.Repeat, exp.Pad, exp.Space, exp.GenerateSeries, exp.ExplodingGenerateSeries)
_GROWING_NAMES = words(
    """
    repeat lpad rpad space zeroblob generate_series printf format
    """
)
_SYSTEM = re.compile(
    r"(?:pg|sqlite|duckdb)_.*|information_schema|mysql|sys|performance_schema|pragma_.*", re.I
)


def check_text(text: str, dialect: str) -> Source:
    """Cut a text into tokens, and refuse what should not even be parsed.

    `SpecificationError` for what is no query or does more than read, `Unsupported` for executable comments
    and what else the lexer does not read; both say where.
    """
    if len(text) > MAX_TEXT:
        raise SpecificationError(ReasonCode.SYNTAX, f"{len(text)} characters, more than {MAX_TEXT}")
    for place, character in enumerate(text):
        if character == "\0" or "\ud800" <= character <= "\udfff":
            what = "a NUL" if character == "\0" else "a lone surrogate"
            raise SpecificationError(ReasonCode.SYNTAX, f"{what} in the text", Place.at(text, place))
    source = lex(text, dialect)
    lexemes = source.lexemes
    if all(lexeme.text == ";" for lexeme in lexemes):
        raise SpecificationError(ReasonCode.SYNTAX, "the text is empty; one SELECT statement was expected")
    begin = next(n for n, lexeme in enumerate(lexemes) if lexeme.text not in ("(", ";"))
    end = max(n for n, lexeme in enumerate(lexemes) if lexeme.text != ";")
    first = lexemes[begin]
    if first.word in _STATEMENTS:
        message = f"{first.word} is no query; one SELECT was expected"
        raise SpecificationError(ReasonCode.FORBIDDEN, message, Place.at(text, first.start))
    for number in range(begin, end + 1):
        _check_lexeme(text, lexemes, number)
    return source


def _check_lexeme(text: str, lexemes: Sequence[Lexeme], number: int) -> None:
    """What no query has, whatever tree the parser makes of it."""
    lexeme = lexemes[number]
    place = Place.at(text, lexeme.start)
    if lexeme.shape is Shape.PARAMETER:
        what = f"the parameter or variable {lexeme.text[:40]}: a specification only reads tables"
        raise SpecificationError(ReasonCode.FORBIDDEN, what, place)
    if lexeme.text == ";":
        message = "several statements where one query is expected"
        after = next(later for later in lexemes[number:] if later.text != ";")
        raise SpecificationError(ReasonCode.SYNTAX, message, Place.at(text, after.start))
    before = lexemes[number - 1] if number else None
    if before is not None and (before.text == "." or before.word == "AS"):
        return  # a name
    following = lexemes[number + 1].word if number + 1 < len(lexemes) else ""
    what = ""
    if lexeme.word == "INTO":
        what = f"INTO {following}".strip()
    elif (lexeme.word == "FOR" and following in _LOCKS) or (lexeme.word == "LOCK" and following == "IN"):
        what = f"{lexeme.word} {following}"
    if what:
        raise SpecificationError(ReasonCode.FORBIDDEN, f"{what}: a specification only reads", place)


def check_tree(tree: exp.Expression, dialect: str, tables: frozenset[str] = frozenset()) -> None:
    """Refuse what a query must not do, and what is not known to be pure; places are those of a marked tree.

    `tables` are the lower-case names of the schema's tables, which may be called as an engine's own are.

    `SpecificationError` with code `forbidden` for writes, files, locks, sleeps, variables and system tables;
    `Nondeterministic` for clocks and random numbers; `Unsupported` for a function this list does not know.
    """
    unknown: Unsupported | None = None
    impure: Nondeterministic | None = None
    if isinstance(tree, _FORBIDDEN_NODES) and not isinstance(tree, exp.Query):
        raise _forbidden(_name(tree), tree)
    if not isinstance(tree, exp.Query):
        unknown = Unsupported(f"a text that is read as {tree.key.upper()}, not as a SELECT")
    own = tables | {common.alias.lower() for common in tree.find_all(exp.CTE)}
    for count, node in enumerate(tree.walk(bfs=True)):
        if count > MAX_NODES:
            raise Unsupported(f"a query of more than {MAX_NODES} parts")
        if isinstance(node, _FORBIDDEN_NODES) and not isinstance(node, exp.Query):
            raise _forbidden(_name(node), node)
        if isinstance(node, exp.Table):
            _check_table(node, own)
        if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
            name = str(node.name)
            if _FORBIDDEN_NAMES.fullmatch(name):
                raise _forbidden(f"the function {name.upper()}", node)
            if _IMPURE_NAMES.fullmatch(name):
                impure = impure or Nondeterministic(
                    f"{name.upper()} does not depend on the data alone", place_of(node)
                )
            elif name.lower() not in _PURE_NAMES:
                unknown = unknown or Unsupported(
                    f"the function {name.upper()} is not known to be pure", place_of(node)
                )
            if name.lower() in _GROWING_NAMES:
                _check_growth(node)
        elif isinstance(node, _IMPURE):
            impure = impure or Nondeterministic(
                f"{_name(node)} does not depend on the data alone", place_of(node)
            )
        elif isinstance(node, exp.Func):
            if _FORBIDDEN_NAMES.fullmatch(node.sql_name()):
                raise _forbidden(f"the function {node.sql_name()}", node)
            if type(node).__name__ not in _PURE:
                unknown = unknown or Unsupported(
                    f"the function {node.sql_name()} is not known to be pure", place_of(node)
                )
            if isinstance(node, _GROWING):
                _check_growth(node)
    if impure:
        raise impure
    if unknown:
        raise unknown


def _check_table(node: exp.Table, own: frozenset[str]) -> None:
    name, database = str(node.name), str(node.db)
    if not database and name.lower() in own and isinstance(node.this, exp.Identifier):
        return
    if _SYSTEM.fullmatch(name) or _SYSTEM.fullmatch(database):
        raise _forbidden(f"the system table {database + '.' if database else ''}{name}", node)
    if "." in name or "/" in name or "\\" in name:
        raise _forbidden(f"the file {name!r}", node)


def _check_growth(node: Any) -> None:
    for part in node.find_all(exp.Literal):
        if part.is_string and re.search(r"%[^%a-zA-Z]*\d{5}", part.name):
            raise Unsupported(
                f"a width in {part.name[:40]!r}: more than {MAX_COUNT} is not evaluated", place_of(node)
            )
        if not part.is_string and (
            not part.name.isdigit() or len(part.name) > 9 or int(part.name) > MAX_COUNT
        ):
            if not re.fullmatch(r"\d{1,6}\.\d*", part.name):
                raise Unsupported(
                    f"{part.name} in {_name(node)}: more than {MAX_COUNT} is not evaluated",
                    place_of(node),
                )


def _forbidden(what: str, node: Any) -> SpecificationError:
    return SpecificationError(ReasonCode.FORBIDDEN, f"{what}: a specification only reads", place_of(node))


def _name(node: Any) -> str:
    return node.sql_name() if isinstance(node, exp.Func) else node.key.upper()
