/** Runs the examples of each README in an empty folder, after the install line that is printed for them. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { extractFences, type Fence } from '../docs/extract-fences.ts'
import { importedModules } from '../docs/imported-packages.ts'
import { installLineOf, installLines } from '../docs/install-line.ts'
import { neededServer } from '../docs/needed-server.ts'
import { sharesProcess } from '../docs/run-example.ts'
import { isFull } from '../test-run/src/test-run.ts'
import { EXAMPLE, runInstallLine, type PrintedInstall } from './printed-install.ts'
import { chosen, listReadmes, ROOT } from './public-packages.ts'
import { startTarballRegistry, type TarballRegistry } from './tarball-registry.ts'

/** pnpm hides what an install line does not name, and is quick. npm finds conflicts of peers, in a rehearsal. */
const MANAGER = process.env['SPILLWAY_REGISTRY'] === undefined ? 'pnpm' : 'npm'

let registry: TarballRegistry

beforeAll(async () => {
  registry = await startTarballRegistry()
})

afterAll(() => registry.close())

describe.each(chosen(listReadmes(), dirname))('%s', (path) => {
  const fences = extractFences(readFileSync(join(ROOT, path), 'utf8'))
  const examples = fences.filter(({ language, flags }) => language === 'ts' || flags.includes('run'))
  const groups = installLines(fences)
    .map((line) => ({ line, own: examples.filter((one) => installLineOf(one, fences)?.fence === line.fence) }))
    .filter(({ own }) => own.length > 0)

  it('has an install line for every example', () => {
    expect(groups.flatMap(({ own }) => own)).toHaveLength(examples.length)
  })

  const cases = groups.map((group) => ({ ...group, at: group.line.fence.line }))
  describe.each(cases)(`after line $at, with ${MANAGER}`, ({ line, own }) => {
    let installed: PrintedInstall
    /** The examples that have passed in one process, as in internal/docs. What the first one prints is compared. */
    let passed: readonly Fence[] = []

    beforeAll(async () => {
      installed = await runInstallLine(line, MANAGER, registry.url)
      const shared = own.filter((one) => one !== examples[0] && one.language === 'ts' && sharesProcess(one))
      if (isFull || shared.length < 2) return
      if (await installed.runInTurn(shared.map((one) => filesFor(one, fences)))) passed = shared
    })

    afterAll(() => installed.remove())

    it.for(own.map((example) => [example.line, example] as const))(
      'runs the example of line %i',
      async ([, example], { skip }) => {
        if (passed.includes(example)) return
        const server = await neededServer(example)
        skip(server.missing !== undefined, server.missing)
        const printed = await (example.language === 'sh'
          ? installed.runShell(example.code)
          : installed.runModule(filesFor(example, fences, server.address), server.env))
        expect(example === examples[0] ? printed : 'any', 'The first example prints nothing.').not.toBe('')
      },
    )
  })
})

/** The files that an example needs in its folder. One that is not run only imports what it names. */
function filesFor(
  example: Fence,
  fences: readonly Fence[],
  address = (code: string): string => code,
): Record<string, string> {
  const files = fences.flatMap(({ file, code }) => (file === undefined ? [] : [[file, code] as const]))
  const modules = importedModules(example.code).filter((name) => !name.startsWith('.'))
  const code = example.flags.includes('no-run')
    ? modules.map((name) => `import '${name}'\n`).join('')
    : address(example.code)
  return { ...Object.fromEntries(files), [EXAMPLE]: code }
}
