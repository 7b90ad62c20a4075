import { fork } from 'node:child_process'
import { TaskError } from '../report/task-error.ts'

/** Tasks of a process, by name. Each task has one argument and returns one value. */
export type Tasks = Readonly<Record<string, (input: never) => unknown>>

/** A process that runs tasks on request, one after another. */
export interface Remote<Offered> {
  /** Run a task in the process. Rejects with a {@link TaskError} if the task fails, or the process ends. */
  call<Name extends keyof Offered & string>(
    name: Name,
    ...input: InputOf<Offered[Name]>
  ): Promise<ResultOf<Offered[Name]>>
  /** End the process. */
  end(): void
}

type InputOf<Task> = Task extends (...input: infer Input) => unknown ? Input : never
type ResultOf<Task> = Task extends (...input: never) => infer Result ? Awaited<Result> : never

/** The reply of the process. */
export type Reply = { readonly value: unknown } | { readonly error: string }

/** Start a script that calls {@link serve}, in a separate process. */
export function startRemote<Offered>(script: string, killMs = 1_200_000): Remote<Offered> {
  const process = fork(script, [], {
    execArgv: ['--expose-gc', '--no-warnings'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let written = ''
  process.stderr?.on('data', (text) => (written = `${written}${text}`.slice(-2_000)))
  const call = (name: string, input: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        process.kill('SIGKILL')
      }, killMs)
      const settle = (end: () => void): void => {
        clearTimeout(timer)
        process.off('message', answered).off('exit', ended)
        end()
      }
      const answered = (reply: Reply): void =>
        settle(() => ('error' in reply ? reject(new TaskError(reply.error)) : resolve(reply.value)))
      const ended = (code: number | null, signal: string | null): void =>
        settle(() => reject(new TaskError(`the process ended with ${signal ?? code}: ${written}`)))
      process.on('message', answered).on('exit', ended)
      process.send({ name, input })
    })
  return {
    call: async (name, ...[input]) => (await call(name, input)) as never,
    end: () => process.kill('SIGKILL'),
  }
}

/** Run tasks that the parent process requests. */
export function serve(tasks: Readonly<Record<string, (input: never) => unknown>>): void {
  process.on('message', ({ name, input }: { readonly name: string; readonly input: never }) => {
    void answer(tasks[name], input).then((reply) => process.send?.(reply))
  })
  process.on('disconnect', () => process.exit())
}

async function answer(task: ((input: never) => unknown) | undefined, input: never): Promise<Reply> {
  try {
    return { value: await task?.(input) }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
