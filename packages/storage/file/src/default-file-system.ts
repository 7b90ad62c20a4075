import { Worker } from 'node:worker_threads'
import { folderOf, unless, type FileStep } from './file-system.ts'
import { inFolder, NodeFileSystem } from './node-file-system.ts'

/** Number of calls before the thread is started, because its start takes 20 ms or more. */
const FIRST_WITHOUT = 4
const IDLE_MS = 10_000
/** Longest expected wait for the thread. If the wait is longer, the thread pool handles files in parallel. */
const MAX_WAIT_MS = 20
const FIRST_GUESS_MS = 1
/** If the thread does not answer for this many milliseconds, the thread pool runs the steps. */
const STALLED_MS = 100
const MAX_MEMORY_MB = 64

/** Program of the thread, as a string, so that bundlers, loaders, and test runners need not find a file. */
const PROGRAM = `
import('node:worker_threads').then(async ({ parentPort }) => {
  const fs = await import('node:fs')
  const found = (path) => fs.lstatSync(path, { throwIfNoEntry: false })
  const take = {
    isReal: ({ path, open }) => (open ? fs.readlinkSync(open) : fs.realpathSync.native(path)) === path,
    isMissing: ({ path }) => found(path) === undefined,
    isFile: ({ path, size }) => {
      const status = found(path)
      return status !== undefined && status.isFile() && status.size === size
    },
    create: ({ path, content, modifiedAt }) => {
      const file = fs.openSync(path, 'wx', 0o600)
      try {
        for (let at = 0; at < content.length;) at += fs.writeSync(file, content, at, content.length - at)
        if (modifiedAt !== undefined) fs.futimesSync(file, modifiedAt / 1000, modifiedAt / 1000)
      } finally {
        fs.closeSync(file)
      }
      return true
    },
    link: ({ from, to }) => (fs.linkSync(from, to), true),
    remove: ({ path }) => (fs.unlinkSync(path), true),
  }
  parentPort.on('message', ({ id, steps }) => {
    const begin = performance.now()
    let taken = 0
    try {
      while (taken < steps.length && take[steps[taken].step](steps[taken])) taken++
    } catch {
      // The single operations fail in the same way, and their errors explain the failure.
    }
    parentPort.postMessage({ id, taken, milliseconds: performance.now() - begin })
  })
  parentPort.postMessage({ id: 0, taken: 0, milliseconds: 0 })
})
`

interface Answer {
  readonly id: number
  readonly taken: number
  readonly milliseconds: number
}

/** A thread that runs all file steps of an entry with synchronous calls. It never keeps the process alive. */
export class StepsThread {
  readonly #waiting = new Map<number, (taken: number) => void>()
  #asked = 0
  #worker: Worker | 'none' | 'impossible' = 'none'
  #isReady = false
  #milliseconds = FIRST_GUESS_MS
  #activeAt = 0
  #idleTimer: NodeJS.Timeout | undefined

  /** Returns the number of completed steps. It is 0 if the thread is missing or busy. */
  async run(steps: readonly FileStep[]): Promise<number> {
    this.#asked += 1
    if (this.#worker === 'none' && this.#asked > FIRST_WITHOUT) this.#start()
    const worker = this.#worker
    if (typeof worker === 'string' || !this.#isReady) return 0
    if (this.#isBusy) return 0
    clearTimeout(this.#idleTimer)
    if (this.#waiting.size === 0) {
      worker.ref()
      this.#activeAt = performance.now()
    }
    const id = this.#asked
    const { promise, resolve } = Promise.withResolvers<number>()
    this.#waiting.set(id, resolve)
    const { copies, memory } = ownContents(steps)
    worker.postMessage({ id, steps: copies }, memory)
    return promise
  }

  get #isBusy(): boolean {
    const { size } = this.#waiting
    if (size * this.#milliseconds > MAX_WAIT_MS) return true
    return size > 0 && performance.now() - this.#activeAt > STALLED_MS
  }

  async end(): Promise<void> {
    if (typeof this.#worker !== 'string') await this.#worker.terminate()
  }

  #start(): void {
    try {
      // The thread needs no loader hooks, no environment, and no streams.
      const worker = new Worker(PROGRAM, {
        eval: true,
        name: 'spillway-file',
        execArgv: [],
        env: {},
        stdout: true,
        stderr: true,
        resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
      })
      worker.unref()
      worker.on('message', (answer: Answer) => this.#answered(worker, answer))
      // The state of the started steps is unknown. The caller gets 0, and runs all steps itself.
      worker.on('error', () => (this.#worker = 'impossible'))
      worker.on('exit', () => this.#ended())
      this.#worker = worker
    } catch (error) {
      // Threads are impossible with `--permission`, or at the system's limit. Storing works without a thread.
      if (typeof (error as { code?: unknown }).code !== 'string') throw error
      this.#worker = 'impossible'
    }
  }

  #answered(worker: Worker, { id, taken, milliseconds }: Answer): void {
    this.#isReady = true
    this.#activeAt = performance.now()
    if (id > 0) this.#milliseconds = milliseconds
    this.#waiting.get(id)?.(taken)
    this.#waiting.delete(id)
    if (this.#waiting.size > 0) return
    worker.unref()
    this.#idleTimer = setTimeout(() => {
      this.#isReady = false
      void worker.terminate()
    }, IDLE_MS).unref()
  }

  #ended(): void {
    this.#isReady = false
    clearTimeout(this.#idleTimer)
    if (this.#worker !== 'impossible') this.#worker = 'none'
    for (const resolve of this.#waiting.values()) resolve(0)
    this.#waiting.clear()
  }
}

/** Copies the contents, because a message would transfer their whole buffers. */
function ownContents(steps: readonly FileStep[]): { readonly copies: FileStep[]; readonly memory: ArrayBuffer[] } {
  const memory: ArrayBuffer[] = []
  const copies = steps.map((step) => {
    if (step.step !== 'create') return step
    const content = new Uint8Array(step.content)
    memory.push(content.buffer)
    return { ...step, content }
  })
  return { copies, memory }
}

const thread = new StepsThread()

/** Separate from {@link NodeFileSystem}, because steps in a thread would bypass methods that a subclass overrides. */
export class DefaultFileSystem extends NodeFileSystem {
  /** Descriptors of open folders are valid in all threads of the process. */
  async runSteps(steps: readonly FileStep[]): Promise<number> {
    const left = Array.from(new Set(steps.flatMap(foldersOf)))
    const reached = new Map<string, string>()
    const run = async (): Promise<number> => {
      const folder = left.pop()
      if (folder === undefined) return thread.run(steps.map((step) => throughFolders(step, reached)))
      return inFolder(`${folder}/.`, (path) => {
        reached.set(folder, path.slice(0, -'/.'.length))
        return run()
      })
    }
    // If a folder is missing or a link, the single operations report the error.
    return (await unless(['ENOENT', 'ENOTDIR', 'ELOOP'], run())) ?? 0
  }
}

function foldersOf(step: FileStep): readonly string[] {
  if (step.step === 'link') return [folderOf(step.from), folderOf(step.to)]
  return [step.step === 'isReal' ? step.path : folderOf(step.path)]
}

/** Replaces the folders in a step's paths by open folders. For `isReal`, only adds the open folder. */
function throughFolders(
  step: FileStep,
  reached: ReadonlyMap<string, string>,
): FileStep & { readonly open?: string | undefined } {
  const at = (path: string): string => `${reached.get(folderOf(path))}${path.slice(path.lastIndexOf('/'))}`
  if (step.step === 'link') return { ...step, from: at(step.from), to: at(step.to) }
  if (step.step !== 'isReal') return { ...step, path: at(step.path) }
  const open = reached.get(step.path)
  return open === step.path ? step : { ...step, open }
}
