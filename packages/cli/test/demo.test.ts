import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { start } from './spillway.ts'

const DEMO = fileURLToPath(new URL('../../../examples/demo/demo.ts', import.meta.url))

test('the demo runs a real command, and shows the preview, a search, a range of lines, and the meter', async () => {
  const { code, stdout, stderr } = await start(process.execPath, [DEMO]).end
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('$ spillway run -- vitest run')
  expect(stdout).toMatch(/^ +Tests {2}4 failed \| 2396 passed/m)
  expect(stdout).toMatch(/^> +\d+\| .*net=1\.15 percent=10 cents=126\.4999/m)
  expect(stdout).toMatch(/^ +\d+\| AssertionError: expected 1\.26 to be 1\.27/m)
  const meter = Object.fromEntries(
    Array.from(stdout.matchAll(/^ {2}(\w+) +([\d,]+) {3}/gm), ([, name, tokens]) => [
      name,
      Number(tokens?.replaceAll(',', '')),
    ]),
  )
  expect(meter['avoided']).toBeGreaterThan(50_000)
  expect(meter['shown']).toBeLessThan(2_500)
  expect(meter['net']).toBe(meter['avoided']! - meter['shown']! - meter['retrieved']!)
})
