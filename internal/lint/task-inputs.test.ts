/** If an input of a task were a generated file, the task would run again after every verification. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { REACHED_SOURCES } from '@spillway-internal/test-run/reached-sources'
import { expect, it } from 'vitest'
import { PACKED_DEPENDENCIES } from '../packages/packed-dependencies.ts'

const ROOT = join(import.meta.dirname, '../..')
/** `verify` writes these lists before the tasks that read them. */
const LISTS = [REACHED_SOURCES, PACKED_DEPENDENCIES]
const TASKS = ['build', 'lint', 'typecheck', 'test', 'docs', 'packages']

interface Plan {
  readonly tasks: readonly {
    readonly taskId: string
    readonly directory: string
    readonly inputs: Readonly<Record<string, string>>
  }[]
}

function print(command: string, args: readonly string[], input = ''): string {
  return spawnSync(command, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8, input }).stdout
}

it('no input of a task is a file that git ignores, except two lists that are written before the task', () => {
  const { tasks } = JSON.parse(print('pnpm', ['exec', 'turbo', 'run', ...TASKS, '--dry=json'])) as Plan
  const tasksOf = new Map<string, string>()
  for (const { taskId, directory, inputs } of tasks)
    for (const path of Object.keys(inputs)) tasksOf.set(join(directory, path).replaceAll('\\', '/'), taskId)
  for (const path of tasksOf.keys()) if (LISTS.some((list) => path.endsWith(list))) tasksOf.delete(path)
  const ignored = print('git', ['check-ignore', '--stdin'], [...tasksOf.keys()].join('\n'))
  expect(tasksOf.size).toBeGreaterThan(1_000)
  expect(
    ignored
      .split('\n')
      .filter(Boolean)
      .map((path) => `${path} of ${tasksOf.get(path)}`),
  ).toEqual([])
})
