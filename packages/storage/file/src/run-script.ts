/** What runs commands in a POSIX shell: a sandbox, a container, another machine. */
export interface Shell {
  execute(command: string): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>
}

/** What a failed tool or shell ends a line with, that of GNU, BusyBox or BSD, by the POSIX name of the failure. */
const MESSAGES = {
  ENOENT: ['No such file or directory', 'Directory nonexistent', 'nonexistent directory'],
  EEXIST: ['File exists', 'cannot overwrite existing file'],
  ENOTDIR: ['Not a directory'],
  EISDIR: ['Is a directory'],
  ENOTEMPTY: ['Directory not empty'],
  EACCES: ['Permission denied'],
  EPERM: ['Operation not permitted'],
  EROFS: ['Read-only file system'],
  ENOSPC: ['No space left on device'],
  EDQUOT: ['Disk quota exceeded', 'Quota exceeded'],
  ENOTSUP: ['Operation not supported', 'Not supported', 'Function not implemented'],
  EMLINK: ['Too many links'],
}
/** At the end of what was said, or of a line of it: GNU's `base64` says less after it has said what failed. */
const CASES = Object.entries(MESSAGES).map(
  ([code, ends]) => `${ends.map((end) => `*': ${end}'|*': ${end}\n'*`).join('|')}) fail ${code};;`,
)

/**
 * What every script can use. `fail` answers with the name of a failure, `explain` with the one that was `said`. `run` runs a
 * tool, keeps what it prints in `said`, and fails where it does. `status` describes a path by the `stat`
 * of Linux, or of BSD and macOS.
 */
const PRELUDE = `export LC_ALL=C
umask 077
fail() { printf '!%s' "$1"; exit 0; }
explain() { case $said in
${CASES.join('\n')}
*) printf %s "$said" >&2; exit 1;; esac; }
run() { said=$("$@" 2>&1 </dev/null) || explain; }
status() { if [ -d /proc/self ]; then stat -c %F:%s:%Y "$1"; else stat -f %HT:%z:%m "$1"; fi; }
create() { (set -C; : > "$1"); }
append() { printf %s "$2" | base64 -d >> "$1"; }`

/**
 * Run a script and return what it prints.
 *
 * What is missing, taken or forbidden only the script itself says, in its output. A shell that cannot be reached ends with
 * any exit code, and complains of anything: of a missing file too, such as a key or a socket.
 */
export async function runScript(shell: Shell, script: string): Promise<string> {
  // In braces, since there may be a `cd … &&` in front of it.
  const { exitCode, stdout, stderr } = await shell.execute(`{ ${PRELUDE}\n${script}\n}`)
  if (exitCode !== 0) throw new Error(`the shell ended with ${exitCode}: ${stderr.trim() || 'it said nothing'}`)
  if (!stdout.startsWith('!')) return stdout
  const code = stdout.slice(1)
  throw Object.assign(new Error(`${code}: ${script.slice(0, 200)}`), { code })
}

/** Quote a text for a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
