import { shellQuoted as quoted } from '@spillway/core/driver'
import type { DirectoryItem, FileContent, FileStatus, FileStep, FileSystem, FileWriter } from './file-system.ts'

/** Bytes that one command appends. Linux accepts commands of up to 128 KiB, and Base64 turns 3 bytes into 4. */
const PIECE_BYTES = 64 * 1024
const MAX_STEPS_LENGTH = 100_000
const STATUS = /^([^:]*):(\d+):(-?\d+) (\d+)$/
const KINDS: Readonly<Record<string, DirectoryItem['kind']>> = { f: 'file', d: 'directory' }
/** Lists a folder with shell syntax only, because tools fail if a file disappears while they run. */
const LIST = `for name in * .*; do
case $name in .|..) continue;; esac
if [ -L "$name" ]; then kind=o; elif [ -f "$name" ]; then kind=f; elif [ -d "$name" ]; then kind=d
elif [ -e "$name" ]; then kind=o; else continue; fi
printf '%s%s\\000' $kind "$name"
done`

/**
 * File system that is accessed through a shell, for example of a sandbox, a container, or another machine.
 *
 * It runs `sh` with the usual tools of Linux, BusyBox, or macOS, and `base64`. Small content needs one command. Larger
 * content needs one command for each 64 KiB. An unreachable shell is never reported as a missing file.
 *
 * A shell cannot set file times in milliseconds, so each use of an entry rewrites its sidecar. While one process evicts
 * or deletes entries, no other process should use the directory. Pass an absolute path to `FileStorage`, because a
 * relative path is resolved on this machine.
 *
 * @example
 * ```ts
 * import { spawnSync } from 'node:child_process'
 * import { FileStorage, ShellFileSystem } from '@spillway/file'
 *
 * // In a container: ['docker', 'exec', 'my-container', 'sh', '-c', command]
 * const execute = async (command: string) => {
 *   const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
 *   return { exitCode: status ?? 1, stdout, stderr }
 * }
 *
 * const storage = new FileStorage({ directory: `${process.cwd()}/artifacts`, fileSystem: new ShellFileSystem({ execute }) })
 * const reference = await storage.store('call_1_0', new TextEncoder().encode('hello'))
 * const { content } = await storage.retrieve(reference)
 * console.assert(new TextDecoder().decode(content) === 'hello')
 * ```
 */
export class ShellFileSystem implements FileSystem {
  readonly #shell: Shell

  /** @param shell - An object with an `execute` method that runs a command and returns its result. */
  constructor(shell: Shell) {
    if (typeof (shell as Partial<Shell> | null | undefined)?.execute !== 'function')
      throw new TypeError('shell must have a method execute(command), which resolves to { exitCode, stdout, stderr }.')
    this.#shell = shell
  }

  async createFile(path: string): Promise<FileWriter> {
    const file = quoted(path)
    await this.#run(`run create ${file}`)
    let [size, held] = [0, Buffer.alloc(0)]
    const send = async (piece: Buffer): Promise<void> => {
      size += piece.length
      // Check that the file exists, because appending to a removed file would create it again.
      await this.#run(`run status ${file}
run append ${file} ${piece.toString('base64')}
said='the file was changed while it was written'
[ "$(wc -c < ${file})" -eq ${size} ] || explain`)
    }
    return {
      write: async (bytes) => {
        held = Buffer.concat([held, bytes])
        for (; held.length >= PIECE_BYTES; held = held.subarray(PIECE_BYTES)) await send(held.subarray(0, PIECE_BYTES))
      },
      close: async () => {
        if (held.length > 0) await send(held)
        held = Buffer.alloc(0)
      },
    }
  }

  async readFile(path: string, range?: { readonly offset: number; readonly length: number }): Promise<FileContent> {
    const file = quoted(path)
    const { offset, length } = range ?? { offset: 0, length: Infinity }
    const output = await this.#run(`run status ${file}
case $said in [Rr]egular*) ;; [Ss]ymbolic*) fail ELOOP;; *) fail EINVAL;; esac
[ -r ${file} ] || { run status ${file}; fail EACCES; }
printf '%s %s\\n' "$said" "$(date +%s)"
tail -c +${offset + 1} ${file} ${length === Infinity ? '' : `| head -c ${length}`} | base64`)
    const end = output.indexOf('\n')
    const status = parseStatus(output.slice(0, end))
    const content = new Uint8Array(Buffer.from(output.slice(end), 'base64'))
    if (content.length === Math.max(0, Math.min(length, status.size - offset))) return { content, status }
    await this.stat(path)
    throw new Error(`${path} could not be read, or was changed during the read`)
  }

  async stat(path: string): Promise<FileStatus> {
    return parseStatus(await this.#run(`run status ${quoted(path)}\nprintf '%s %s' "$said" "$(date +%s)"`))
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#run(`[ -d ${quoted(to)} ] && fail EISDIR\nrun mv -f ${quoted(from)} ${quoted(to)}`)
  }

  async removeFile(path: string): Promise<void> {
    await this.#run(`run rm ${quoted(path)}`)
  }

  async createDirectory(path: string): Promise<void> {
    await this.#run(`run mkdir -m 700 ${quoted(path)}`)
  }

  async removeDirectory(path: string): Promise<void> {
    await this.#run(`run rmdir ${quoted(path)}`)
  }

  async *list(path: string): AsyncGenerator<DirectoryItem> {
    const folder = quoted(path)
    const output = await this.#run(`run status ${folder}
case $said in [Dd]irectory*) ;; *) fail ENOTDIR;; esac
[ -r ${folder} ] && cd ${folder} || { run status ${folder}; fail EACCES; }
${LIST}`)
    for (const line of output.split('\0').slice(0, -1))
      yield { name: line.slice(1), kind: KINDS[line.charAt(0)] ?? 'other' }
  }

  async link(from: string, to: string): Promise<void> {
    await this.#run(`[ -d ${quoted(to)} ] && fail EEXIST\nrun ln ${quoted(from)} ${quoted(to)}`)
  }

  async runSteps(steps: readonly FileStep[]): Promise<number> {
    const script = steps.map((step, at) => `${shellStep(step)} && taken=${at + 1}`).join(' && ')
    if (script.length > MAX_STEPS_LENGTH) return 0
    return Number(await this.#run(`taken=0\n{ ${script}\n} >/dev/null 2>&1 </dev/null\necho $taken`))
  }

  /** Resolve all symbolic links in the path of a directory. */
  async realPath(path: string): Promise<string> {
    return (await this.#run(`run status ${quoted(`${path}/`)}\ncd ${quoted(path)} && pwd -P`)).slice(0, -1)
  }

  async #run(script: string): Promise<string> {
    return await runScript(this.#shell, script)
  }
}

function parseStatus(text: string): FileStatus {
  const [, type = '', size, modifiedAt, now] = STATUS.exec(text) ?? []
  if (now === undefined) throw new Error(`the shell described a file as ${JSON.stringify(text.slice(0, 100))}`)
  const kind = /^regular/i.test(type) ? 'file' : /^directory/i.test(type) ? 'directory' : 'other'
  // Convert the time to this process's clock, because the remote clock may differ.
  return { kind, size: Number(size), modifiedAt: Date.now() - (Number(now) - Number(modifiedAt)) * 1_000 }
}

/** Returns a command that succeeds only if it completes the step. */
export function shellStep(step: FileStep): string {
  if (step.step === 'link') return `{ [ ! -d ${quoted(step.to)} ] && ln ${quoted(step.from)} ${quoted(step.to)}; }`
  const path = quoted(step.path)
  switch (step.step) {
    case 'isReal':
      return `[ "$(cd ${path} && pwd -P)" = ${path} ]`
    case 'isMissing':
      return `{ [ ! -e ${path} ] && [ ! -L ${path} ]; }`
    case 'isFile':
      return `{ [ ! -L ${path} ] && [ -f ${path} ] && [ "$(wc -c < ${path})" -eq ${step.size} ]; }`
    case 'create':
      // A shell cannot set times; see ShellFileSystem.
      if (step.modifiedAt !== undefined) return 'false'
      return `(set -C; printf %s '${Buffer.from(step.content).toString('base64')}' | base64 -d > ${path})`
    case 'remove':
      return `rm ${path}`
  }
}

/** A runner of commands in a POSIX shell, for example of a sandbox or a container. */
export interface Shell {
  execute(command: string): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>
}

/** Ends of error lines of GNU, BusyBox, and BSD tools, by POSIX code. */
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
/** Shell patterns for these messages, at the end of the text or of a line. GNU `base64` may print a second message. */
const CASES = Object.entries(MESSAGES).map(
  ([code, ends]) => `${ends.map((end) => `*': ${end}'|*': ${end}\n'*`).join('|')}) fail ${code};;`,
)

/** Shell functions. `run` saves output in `said`, `explain` finds its error code, `fail` prints a code. */
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

/** Runs a script. Only the script's own output decides whether a path is missing, exists, or is forbidden. */
async function runScript(shell: Shell, script: string): Promise<string> {
  // With braces, a shell that puts `cd … &&` before the command runs nothing if `cd` fails.
  const { exitCode, stdout, stderr } = await shell.execute(`{ ${PRELUDE}\n${script}\n}`)
  if (exitCode !== 0)
    throw new Error(`the shell ended with ${exitCode}: ${stderr.trim() || 'standard error was empty'}`)
  if (!stdout.startsWith('!')) return stdout
  const code = stdout.slice(1)
  throw Object.assign(new Error(`${code}: ${script.slice(0, 200)}`), { code })
}
