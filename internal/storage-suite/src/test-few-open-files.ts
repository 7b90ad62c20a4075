import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { scriptArgument, type Backend } from './backend.ts'
import { ownScript } from './run-script.ts'

const COMMAND = 'ulimit -n 64 && exec "$0" "$1" "$2"'

/** Test a storage in a process that can first open only a few files, and later more. */
export function testFewOpenFiles(backend: () => Promise<Backend>): void {
  it.runIf(process.platform === 'linux').each([0, 3])(
    'the storage is unavailable, says so, and loses nothing while a process may open %i more files',
    { timeout: 60_000 },
    async (left) => {
      const script = fileURLToPath(ownScript('few-open-files.ts'))
      const parameters = [process.execPath, script, scriptArgument(await backend(), { left })]
      const output = execFileSync('sh', ['-c', COMMAND, ...parameters], { encoding: 'utf8' })
      const { during, ...rest } = JSON.parse(output) as { readonly during: readonly string[] }
      for (const refusal of during) expect(refusal).toMatch(/^unavailable true: .*raise the limit/i)
      expect(rest).toEqual({ after: [], stored: 41 })
    },
  )
}
