import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { currentCommit } from '../current-commit.ts'
import type { Table } from './table-cases.ts'

const MOST_CHARACTERS = 2_000_000
/** The root folder of this repository. */
export const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url))
/** The folder of an installed package, for commands that list or measure files. */
const FILES = realpathSync(new URL('../../node_modules/zod', import.meta.url))

interface Command {
  readonly command: string
  /** Matches a line of the output. Named groups are the columns. */
  readonly line: RegExp
  readonly folder?: string
}

/** Commands of any Linux machine. None of them is in the data, so no rule was written for their outputs. */
const COMMANDS: readonly Command[] = [
  {
    command: 'dpkg -l',
    line: /^ii\s+(?<Name>\S+)\s+(?<Version>\S+)\s+(?<Architecture>\S+)\s+(?<Description>\S.*)$/,
  },
  {
    command: 'apt list --installed',
    line: /^(?<package>[^/\s]+)\/(?<suite>\S+) (?<version>\S+) (?<architecture>\S+) \[(?<state>.*)\]$/,
  },
  {
    command: 'readelf -sW /lib/x86_64-linux-gnu/libc.so.6',
    line: /^\s*(?<Num>\d+): (?<Value>\w{16})\s+(?<Size>\d+) (?<Type>\w+)\s+(?<Bind>\w+)\s+(?<Vis>\w+)\s+(?<Ndx>\w+) (?<Name>\S+)/,
  },
  {
    command: 'objdump -T /lib/x86_64-linux-gnu/libm.so.6',
    line: /^(?<value>\w{16}) (?<flags>.{7}) (?<section>\S+)\s+(?<size>\w{16})\s+\(?(?<version>\S+?)\)?\s+(?<name>\S+)$/,
  },
  { command: 'nm -D /lib/x86_64-linux-gnu/libc.so.6', line: /^(?<value>\w{16}) (?<type>\w) (?<name>\S+)$/ },
  {
    command: 'size /usr/bin/*',
    line: /^\s*(?<text>\d+)\s+(?<data>\d+)\s+(?<bss>\d+)\s+(?<dec>\d+)\s+(?<hex>\w+)\s+(?<filename>\S+)$/,
  },
  { command: 'ldconfig -p', line: /^\t(?<library>\S+) \((?<kind>[^)]*)\) => (?<path>\S+)$/ },
  {
    command: 'openssl ciphers -v ALL',
    line: /^(?<cipher>\S+)\s+(?<protocol>\S+)\s+Kx=(?<exchange>\S+)\s+Au=(?<authentication>\S+)\s+Enc=(?<encryption>\S+)\s+Mac=(?<digest>\S+)/,
  },
  { command: 'getconf -a', line: /^(?<name>\S+)\s+(?<value>\S.*)$/ },
  { command: 'perl -V:.*', line: /^(?<name>\w+)='(?<value>.*)';$/ },
  { command: 'gcc -Q --help=warnings', line: /^\s+(?<option>-\S+)\s+(?<state>\S.*)$/ },
  {
    command: 'zdump -v Europe/London',
    line: /^(?<zone>\S+)\s+(?<universal>\w{3} .*? \d{4}) UTC? = (?<local>\w{3} .*? \d{4}) (?<abbreviation>\w+) isdst=(?<isdst>\d) gmtoff=(?<gmtoff>-?\d+)$/,
  },
  { command: 'python3 -m sysconfig', line: /^\t(?<name>\w+) = "(?<value>.*)"$/ },
  {
    command: 'java -XX:+PrintFlagsFinal -version',
    line: /^\s*(?<type>\w+) (?<name>\w+)\s+= (?<value>\S*)\s+\{(?<kind>[^}]*)\} \{(?<origin>[^}]*)\}$/,
  },
  { command: 'xxd LICENSE', line: /^(?<offset>\w{8}): (?<first>\w{4}) (?<second>\w{4}) /, folder: REPOSITORY },
  {
    command: "git log --date=iso --format='%h %ad %s' COMMIT",
    line: /^(?<commit>\w{7,}) (?<date>\S+ \S+) \S+ (?<subject>.*)$/,
    folder: REPOSITORY,
  },
  {
    command: 'git diff --numstat COMMIT~100 COMMIT',
    line: /^(?<added>\d+)\t(?<deleted>\d+)\t(?<path>\S+)$/,
    folder: REPOSITORY,
  },
  {
    command: 'git ls-tree -r -l COMMIT packages/core',
    line: /^(?<mode>\d+) (?<type>\w+) (?<object>\w+)\s+(?<size>\d+)\t(?<path>\S+)$/,
    folder: REPOSITORY,
  },
  {
    command: 'find . -type f -ls | sort -k 11',
    line: /^\s*(?<inode>\d+)\s+(?<blocks>\d+) (?<mode>\S+)\s+(?<links>\d+) (?<user>\S+)\s+(?<group>\S+)\s+(?<size>\d+) (?<modified>\w{3}\s+\d+\s+\S+) (?<path>\S+)$/,
  },
  { command: 'du -ab . | sort -k 2', line: /^(?<size>\d+)\t(?<path>\S+)$/ },
  { command: 'sha256sum $(find . -type f | sort)', line: /^(?<digest>\w{64}) {2}(?<path>\S+)$/ },
  {
    command: 'wc $(find . -type f | sort)',
    line: /^\s*(?<lines>\d+)\s+(?<words>\d+)\s+(?<bytes>\d+) (?<path>\S+)$/,
  },
  {
    command: 'tar -c --sort=name . | tar -tv',
    line: /^(?<mode>\S{10}) (?<owner>\S+)\s+(?<size>\d+) (?<date>\S+ \S+) (?<path>\S+)$/,
  },
]

/** Return the output of each command on this machine, with lines parsed into columns. */
export function recordedOutputs(): readonly Table[] {
  return COMMANDS.flatMap(({ command: written, line, folder = FILES }) => {
    const command = withCommit(written)
    const text = recordCommand(command, folder)
    const rows = text.split('\n').flatMap((one): Readonly<Record<string, string>>[] => {
      const groups = line.exec(one)?.groups
      return groups === undefined ? [] : [groups]
    })
    const columns = Object.keys(rows[0] ?? {})
    if (rows.length === 0 || text.length > MOST_CHARACTERS) return []
    const [group = ''] = /^(?:git )?[\w-]+/.exec(written) ?? []
    const cells = rows.map((row) => columns.map((column) => row[column]?.trim() ?? ''))
    return [{ id: command, group, origin: 'unseen', text, contentType: 'text/plain', columns, rows: cells, command }]
  })
}

/** Replace COMMIT by the commit of the policies, because the history before that commit does not change. */
export const withCommit = (command: string): string =>
  command.replaceAll('COMMIT', currentCommit(fileURLToPath(new URL('../policies.ts', import.meta.url))))

/** Return the output of a command; empty if the command is not installed. */
export function recordCommand(command: string, cwd: string): string {
  const env = { PATH: `${process.env['PATH']}:/usr/sbin`, HOME: cwd, LC_ALL: 'C.UTF-8', TZ: 'UTC' }
  try {
    return execFileSync('bash', ['--norc', '--noprofile', '-c', command], {
      cwd,
      env,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch (error) {
    // Some commands exit with an error code if they cannot read some files.
    return (error as { readonly stdout?: string }).stdout ?? ''
  }
}
