import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// The shell reads lines, each with a list of everything that runs. The input ends when the writing process has ended,
// by itself, by an exception, or by SIGKILL. Removing is tried twice, because killed servers end a little later.
const WATCH = `
trap '' INT TERM HUP
running=
while read -r line; do running=$line; done
for one in $running; do
  case $one in
    container:*) docker rm --force "\${one#container:}" ;;
    mount:*) umount -l "$1/\${one#mount:}" ;;
    *) kill -9 "$one" ;;
  esac
done
rm -rf -- "$1" || { sleep 1; rm -rf -- "$1"; }
`

/**
 * A temporary folder, and the servers with data in it. When this process ends, even by SIGKILL, a watcher kills these
 * servers and removes the folder. The watcher is a shell at the other end of a pipe.
 */
export class GuardedFolder {
  readonly path: string
  readonly #running = new Set<string>()
  readonly #watcher: ChildProcess

  /** @param prefix - First characters of the folder's name. */
  constructor(prefix: string) {
    // The path is short, because paths of sockets have a limit of about 100 characters.
    this.path = mkdtempSync(join(tmpdir(), `spillway-${prefix}-`))
    this.#watcher = spawn('sh', ['-c', WATCH, 'spillway-watcher', this.path], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    this.#watcher.unref()
    const { stdin } = this.#watcher
    // The pipe must not keep this process alive.
    if (stdin !== null && 'unref' in stdin) (stdin as unknown as { unref: () => void }).unref()
  }

  /**
   * Register a process that is killed when this process ends. `container:<name>` registers a container, and
   * `mount:<name>` a mount in a folder of this folder.
   */
  guard(process: number | string): void {
    this.#running.add(String(process))
    this.#tell()
  }

  /** Unregister a process that has ended. Another call has no effect. */
  release(process: number | string): void {
    if (this.#running.delete(String(process))) this.#tell()
  }

  /** Remove the folder after its servers have been stopped. Another call has no effect. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 5 })
    this.#watcher.stdin?.end()
  }

  #tell(): void {
    this.#watcher.stdin?.write(`${[...this.#running].join(' ')}\n`)
  }
}
