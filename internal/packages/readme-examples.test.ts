/** Runs the examples of each README in an empty folder, after their install line. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { extractFences, type Fence } from '../docs/extract-fences.ts'
import { importedModules } from '../docs/imported-packages.ts'
import { installLineOf, installLines, type InstallLine } from '../docs/install-line.ts'
import { neededServer } from '../docs/needed-server.ts'
import { sharesProcess } from '../docs/run-example.ts'
import { isFull } from '../test-run/src/test-run.ts'
import { EXAMPLE, runInstallLine, type PrintedInstall } from './printed-install.ts'
import { chosen, listReadmes, ROOT } from './public-packages.ts'
import { startTarballRegistry, type TarballRegistry } from './tarball-registry.ts'

/**
 * pnpm is fast, and hides packages that an install line does not name. A rehearsal uses npm, which finds peer
 * conflicts.
 */
const MANAGER = process.env['SPILLWAY_REGISTRY'] === undefined ? 'pnpm' : 'npm'

let registry: TarballRegistry

beforeAll(async () => {
  registry = await startTarballRegistry()
})

afterAll(() => registry.close())

describe.each(chosen(listReadmes(), dirname))('%s', (path) => {
  const fences = extractFences(readFileSync(join(ROOT, path), 'utf8'))
  const examples = fences.filter(({ language, flags }) => language === 'ts' || flags.includes('run'))
  const groups = joined(
    installLines(fences)
      .map((line) => ({ line, own: examples.filter((one) => installLineOf(one, fences)?.fence === line.fence) }))
      .filter(({ own }) => own.length > 0),
  )

  it('has an install line for every example', () => {
    expect(groups.flatMap(({ own }) => own)).toHaveLength(examples.length)
  })

  const cases = groups.map((group) => ({ ...group, at: group.line.fence.line }))
  describe.each(cases)(`after line $at, with ${MANAGER}`, ({ line, also, own }) => {
    let installed: PrintedInstall
    /** The output of each example that passed in the shared process. */
    const printed = new Map<Fence, string>()

    beforeAll(async () => {
      installed = await runInstallLine(line.commands(MANAGER, also), registry.url)
      const shared = own.filter((one) => one.language === 'ts' && sharesProcess(one))
      if (isFull || shared.length < 2) return
      const outputs = await installed.runInTurn(shared.map((one) => filesFor(one, fences)))
      for (const [index, output] of (outputs ?? []).entries()) printed.set(shared[index]!, output)
    })

    afterAll(() => installed.remove())

    it.for(own.map((example) => [example.line, example] as const))(
      'runs the example of line %i',
      async ([, example], { skip }) => {
        const server = await neededServer(example)
        skip(server.missing !== undefined, server.missing)
        const output =
          printed.get(example) ??
          (await (example.language === 'sh'
            ? installed.runShell(example.code)
            : installed.runModule(filesFor(example, fences, server.address), server.env)))
        expect(example === examples[0] ? output.trim() : 'any', 'The first example prints nothing.').not.toBe('')
      },
    )
  })
})

interface Group {
  readonly line: InstallLine
  /** Packages that are installed in addition to the packages of the line. */
  readonly also?: readonly string[]
  readonly own: readonly Fence[]
}

/**
 * Join the lines that install into the current folder, except in a full run and a rehearsal. Tests in internal/docs
 * compare the imports of each example with its own line. A full run also finds packages that an example needs without
 * importing them.
 */
function joined(groups: readonly Group[]): readonly Group[] {
  const [first, ...others] = groups.filter(({ line }) => !line.fence.code.includes('--global'))
  if (isFull || MANAGER === 'npm' || first === undefined || others.length === 0) return groups
  const more = others.flatMap(({ line }) => line.words).filter((word) => !first.line.words.includes(word))
  const own = [first, ...others].flatMap((group) => group.own)
  return [
    { ...first, also: [...new Set(more)], own },
    ...groups.filter(({ line }) => line.fence.code.includes('--global')),
  ]
}

/** Return the files that an example needs in its folder. An example that is not run gets only files that it imports. */
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
