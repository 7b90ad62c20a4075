/** Runs the examples of Markdown documents and TSDoc comments. */
import { describe, expect, it } from 'vitest'
import { listReadmes } from '../packages/public-packages.ts'
import { isFull } from '../test-run/src/test-run.ts'
import { checkedExamples, collectExamples, packageOf, renameInMessage, type Example } from './collect-examples.ts'
import { importablePackages, importedPackages, packagesOf } from './imported-packages.ts'
import { installLineOf } from './install-line.ts'
import { neededServer } from './needed-server.ts'
import { runExample, runInTurn, runShell } from './run-example.ts'

/** The package whose examples are checked: its path from the root, or `.` for documents that belong to no package. */
const of = process.env['SPILLWAY_DOCS_OF']
const all = collectExamples({ of, purpose: 'run' })
const checked = checkedExamples(all)
/** READMEs of packages. Their examples run in internal/packages, with the packages that their install lines name. */
const readmes = listReadmes()
const own = all.filter(({ document }) => !readmes.includes(document))
const runnable = own.filter(({ language, flags }) => language === 'ts' && !flags.includes('no-run'))
const shell = own.filter(({ language, flags }) => language === 'sh' && flags.includes('run'))
/** Examples that have passed in one common process. In a full run, each example runs in a separate process. */
const passed = isFull
  ? Promise.resolve(new Set())
  : runInTurn(runnable.filter(({ flags }) => !flags.includes('ignore')))
const documents = [...new Set(shell.map(({ document }) => document))]

describe(`examples of ${of ?? 'everything'}`, () => {
  it('import only packages whose changes cause another run of the examples', () => {
    const undeclared = checked.flatMap(({ name, document, code }) => {
      const importable = importablePackages(packageOf(document))
      return importedPackages(code).flatMap((imported) => (importable.has(imported) ? [] : [`${name} ${imported}`]))
    })
    expect(undeclared).toEqual([])
  })

  it('import only packages that are in the install line of their section', () => {
    const missing = all.flatMap((example) => {
      const fences = all.filter(({ document }) => document === example.document)
      const install = installLineOf(example, fences)
      if (install === undefined) return []
      const needed = packagesOf(example, fences).filter((name) => !install.packages.includes(name))
      return needed.map((name) => `${example.name} needs ${name}, which line ${install.fence.line} does not install`)
    })
    expect(missing).toEqual([])
  })

  it.concurrent.for(runnable.map((example) => [example.name, example] as const))(
    'run: %s',
    async ([, example], { skip }) => {
      skip(example.flags.includes('ignore'), 'marked as ignored')
      if ((await passed).has(example)) return
      const server = await neededServer(example)
      skip(server.missing !== undefined, server.missing)
      const { exitCode, output } = await runExample(example, server)
      expect(exitCode, `${example.name}\n${renameInMessage(output, checked)}`).toBe(0)
    },
  )

  it.concurrent.for(documents)('run in a shell: %s', async (wanted) => {
    const ofDocument = ({ document }: Example): boolean => document === wanted
    const { exitCode, output, last } = await runShell(shell.filter(ofDocument), checked.filter(ofDocument))
    expect(exitCode, `${last?.name ?? ''}\n${output}`).toBe(0)
  })
})
