# SPDX-License-Identifier: Apache-2.0
"""Makes the man page and the bash completion of a command from what its --help prints, so that
nothing is written twice. The build runs it; `cmake --install` installs both.

Usage: manual.py FOLDER NAME COMMAND...     writes FOLDER/NAME.1.gz and FOLDER/NAME, the completion
COMMAND runs the program: its path, perhaps behind an emulator of its processor.

Of a help it knows: paragraphs, a line "Usage: ...", sections whose title ends with a colon, and in
these entries that are indented by two spaces, with their text behind two spaces or on the next
lines. The entries of a section "Subcommands" have a help of their own.
"""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ENTRY_INDENT = 2
CODE = "    "
# Values of options for which bash knows what there is.
FILES = ("FILE", "PROGRAM")
COMMANDS = ("COMPILER",)


@dataclass
class Entry:
    """An option or a subcommand: how it is written, and what the help says of it."""

    head: str
    text: str

    @property
    def words(self) -> list[str]:
        """`-h` and `--help` of "-h,--help"; `run` of "run"; `--cc` of "--cc COMPILER"."""
        return [re.split(r"[\[= ]", word)[0] for word in self.head.split(" ")[0].split(",")]

    @property
    def value(self) -> str:
        """`FILE` of "--trace FILE" and of "--trace FILE:TEXT"; empty if it has none."""
        found = re.match(r"\S+ ([A-Z]+)\b", self.head)
        return found[1] if found else ""


@dataclass
class Help:
    """What a program or one of its subcommands says of itself."""

    usage: str = ""
    # Paragraphs before the sections and behind them; those of code are indented.
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    sections: dict[str, list[Entry]] = field(default_factory=dict)

    def entries(self, *, commands: bool) -> list[Entry]:
        return [
            entry
            for title, entries in self.sections.items()
            for entry in entries
            if (title == "Subcommands") == commands
        ]

    def takes_program(self) -> bool:
        """What follows the options is another command line."""
        return any("[OPTIONS] PROGRAM" in paragraph for paragraph in self.after)


def parse(text: str) -> Help:
    found = Help()
    entries: list[Entry] | None = None
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.split("\n")
        paragraph = []
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            if line.startswith("Usage: "):
                found.usage = line.removeprefix("Usage: ")
            elif re.fullmatch(r"\S.*:", line) and re.match(r"  \S", following):
                entries = found.sections.setdefault(line[:-1], [])
            elif entries is not None and line.startswith(" " * ENTRY_INDENT):
                add_to(entries, line)
            else:
                paragraph.append(line)
        if paragraph:
            (found.before if entries is None else found.after).append(joined(paragraph))
    return found


def joined(lines: list[str]) -> str:
    """A paragraph: one line, or the lines of code as they are."""
    is_code = all(line.startswith(CODE) for line in lines)
    return "\n".join(lines) if is_code else " ".join(line.strip() for line in lines)


def add_to(entries: list[Entry], line: str) -> None:
    """An entry's line begins one, or goes on with its text."""
    if line[ENTRY_INDENT] == " ":
        entries[-1].text = f"{entries[-1].text} {line.strip()}".strip()
        return
    head, _, text = re.sub(r" {2,}", "\t", line.strip()).partition("\t")
    entries.append(Entry(head, text))


def helps_of(command: list[str]) -> dict[str, Help]:
    """The help of the program, under "", and of each of its subcommands."""
    helps = {"": parse(output([*command, "--help"]))}
    for entry in helps[""].entries(commands=True):
        helps[entry.head] = parse(output([*command, entry.head, "--help"]))
    return helps


def output(words: list[str]) -> str:
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


# --- the man page -----------------------------------------------------------


def roff(text: str) -> str:
    """Text in which nothing is a command of man's formatter."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq")
    return re.sub(r"^\.", "\\&.", text, flags=re.M)


def summary(paragraph: str) -> str:
    """The first clause of a description, for the line that `man -k` searches."""
    text = re.split(r" \(|\.(?: |$)", re.sub(r"^\w+: ", "", paragraph))[0]
    return text[0].lower() + text[1:]


def roff_paragraph(paragraph: str) -> str:
    if paragraph.startswith(CODE):
        lines = [line.removeprefix(CODE) for line in paragraph.split("\n")]
        return ".PP\n.RS 4\n.nf\n" + "\n".join(map(roff, lines)) + "\n.fi\n.RE\n"
    return f".PP\n{roff(paragraph)}\n"


def roff_entry(entry: Entry) -> str:
    head = re.sub(r"^[-\w,]+", lambda words: f"\\fB{roff(words[0])}\\fR", entry.head)
    value = head[head.index("\\fR") + 3 :]
    head = head.removesuffix(value) + roff(value)
    return f".TP\n{head}\n{roff(entry.text)}\n"


def man_page(name: str, version: str, helps: dict[str, Help]) -> str:
    top = helps[""]
    parts = [
        f'.TH {name.upper()} 1 "" "{version}" "User Commands"\n',
        f".SH NAME\n{name} \\- {roff(summary(top.before[0]))}\n",
        f".SH SYNOPSIS\n.B {name}\n{roff(top.usage.removeprefix(name).strip())}\n",
        ".SH DESCRIPTION\n",
        *map(roff_paragraph, top.before),
    ]
    for title, entries in top.sections.items():
        parts += [f".SH {title.upper()}\n", *map(roff_entry, entries)]
    parts += map(roff_paragraph, top.after)
    for command, found in helps.items():
        if command:
            parts.append(f'.SH "{name.upper()} {command.upper()}"\n')
            parts += map(roff_paragraph, found.before)
            for entries in found.sections.values():
                parts += map(roff_entry, entries)
            parts += map(roff_paragraph, found.after)
    return "".join(parts)


# --- the completion ---------------------------------------------------------


def proposals(entry: Entry) -> str:
    """The bash command that proposes values of an option."""
    if entry.value in FILES:
        return "_filedir"
    if entry.value in COMMANDS:
        return 'COMPREPLY=($(compgen -c -- "$cur"))'
    # "Machine: serial, smp:N, tree:S+W; see ..." lists them; what differs stands behind a colon.
    listed = re.match(r"\w+: ([^;]*,[^;]*);", entry.text)
    if listed is None:
        return "COMPREPLY=()"
    return propose([re.sub(":.*", ":", word) for word in listed[1].split(", ")])


def propose(words: list[str]) -> str:
    return f'COMPREPLY=($(compgen -W "{" ".join(words)}" -- "$cur"))'


def words_of(entries: list[Entry]) -> list[str]:
    return [word for entry in entries for word in entry.words]


def case(words: list[str], command: str) -> str:
    return f"    {'|'.join(words)}) {command} ;;\n" if words else ""


def completion_of(function: str, found: Help) -> str:
    """The function that completes a subcommand, or a program without any, from word `first` on."""
    options = found.entries(commands=False)
    valued = [entry for entry in options if entry.value]
    skip = ""
    if found.takes_program():
        skip = f"""\
  local at
  for ((at = first; at < cword; at++)); do
    case ${{words[at]}} in
  {case(words_of(valued), "((at += 1))")}\
      --) _command_offset $((at + 1)); return ;;
      -*) ;;
      *) _command_offset "$at"; return ;;
    esac
  done
"""
    rest = "COMPREPLY=()"
    if found.takes_program():
        rest = '_command_offset "$cword"'
    elif "FILE" in found.usage:
        rest = "_filedir"
    return f"""\
{function}() {{
{skip}  case $prev in
{"".join(case(entry.words, proposals(entry) + "; return") for entry in valued)}\
    *) ;;
  esac
  if [[ $cur == -* ]]; then
    {propose(words_of(options))}
  else
    {rest}
  fi
}}

"""


def completion(name: str, helps: dict[str, Help]) -> str:
    """A completion for the package bash-completion."""
    functions = "".join(
        completion_of(f"_{name}_{command}" if command else f"_{name}_options", found)
        for command, found in helps.items()
    )
    commands = words_of(helps[""].entries(commands=True))
    choose = f"  _{name}_options\n"
    if commands:
        choose = f"""\
  first=2
  if ((cword == 1)) && [[ $cur != -* ]]; then
    {propose(commands)}
  else
    case ${{words[1]}} in
  {case(commands, f'"_{name}_${{words[1]}}"')}\
      *) _{name}_options ;;
    esac
  fi
"""
    return f"""\
# Bash completion of {name}, made from its --help. Needs the package bash-completion.

{functions}_{name}() {{
  local cur prev words cword first=1
  _init_completion -n := || return
{choose}  [[ ${{COMPREPLY-}} != *: ]] || compopt -o nospace
  __ltrim_colon_completions "$cur"
}} && complete -F _{name} {name}
"""


def main(folder: Path, name: str, command: list[str]) -> None:
    helps = helps_of(command)
    version = output([*command, "--version"]).strip().split("\n")[0]
    folder.mkdir(parents=True, exist_ok=True)
    page = man_page(name, version, helps)
    # The same bytes each time, and as few as Debian wants.
    (folder / f"{name}.1.gz").write_bytes(gzip.compress(page.encode(), 9, mtime=0))
    (folder / name).write_text(completion(name, helps))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
