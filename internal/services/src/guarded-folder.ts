import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Each line that comes in is the list of what runs. When no more can come, whoever wrote them has ended: by itself, by
// an exception or by SIGKILL, which leaves no other trace. Removing is tried twice, as what was killed ends a bit later.
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
 * A temporary folder and the servers that keep their data in it. However this process ends, also by SIGKILL, a watcher
 * (a shell at the other end of a pipe) then kills these servers and removes the folder.
 */
export class GuardedFolder {
  readonly path: string
  readonly #running = new Set<string>()
  readonly #watcher: ChildProcess

  /** @param prefix - First characters of the folder's name. */
  constructor(prefix: string) {
    // A short path: those of sockets end at about 100 characters.
    this.path = mkdtempSync(join(tmpdir(), `spillway-${prefix}-`))
    this.#watcher = spawn('sh', ['-c', WATCH, 'spillway-watcher', this.path], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    this.#watcher.unref()
    const { stdin } = this.#watcher
    // The pipe alone keeps this process no longer alive than it wants to be.
    if (stdin !== null && 'unref' in stdin) (stdin as unknown as { unref: () => void }).unref()
  }

  /**
   * Have a process killed when this process ends, or a container by `container:<name>`, or what is mounted on a folder of
   * this one unmounted by `mount:<name>`.
   */
  guard(process: number | string): void {
    this.#running.add(String(process))
    this.#tell()
  }

  /** Say that it has ended. Doing so twice is fine. */
  release(process: number | string): void {
    if (this.#running.delete(String(process))) this.#tell()
  }

  /** Remove the folder; its servers have been stopped before. Removing it twice is fine. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 5 })
    this.#watcher.stdin?.end()
  }

  #tell(): void {
    this.#watcher.stdin?.write(`${[...this.#running].join(' ')}\n`)
  }
}
