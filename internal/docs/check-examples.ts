import { listReadmes } from '../packages/public-packages.ts'
import { isFull } from '../test-run/src/test-run.ts'
import type { Checks } from './checks.ts'
import { checkedExamples, collectExamples, packageOf, renameInMessage, type Example } from './collect-examples.ts'
import { importablePackages, importedPackages, packagesOf } from './imported-packages.ts'
import { installLineOf } from './install-line.ts'
import { neededServer } from './needed-server.ts'
import { runExample, runInTurn, runShell } from './run-example.ts'

const PROCESSES = 5

/**
 * Run the examples of Markdown documents and TSDoc comments.
 *
 * @param of - The package whose examples are checked: its path from the root, or `.` for documents of no package.
 */
export async function checkExamples(checks: Checks, of: string): Promise<void> {
  const all = collectExamples({ of, purpose: 'run' })
  const checked = checkedExamples(all)

  await checks.run('Examples import only packages whose changes cause another run of the examples', () =>
    checked.flatMap(({ name, document, code }) => {
      const importable = importablePackages(packageOf(document))
      return importedPackages(code).flatMap((imported) => (importable.has(imported) ? [] : [`${name} ${imported}`]))
    }),
  )

  await checks.run('Examples import only packages that are in the install line of their section', () =>
    all.flatMap((example) => {
      const fences = all.filter(({ document }) => document === example.document)
      const install = installLineOf(example, fences)
      if (install === undefined) return []
      const needed = packagesOf(example, fences).filter((name) => !install.packages.includes(name))
      return needed.map((name) => `${example.name} needs ${name}, which line ${install.fence.line} does not install`)
    }),
  )

  // Examples in READMEs of packages run in internal/packages, with the packages that their install lines name.
  const readmes = listReadmes()
  const own = all.filter(({ document }) => !readmes.includes(document))
  const runnable = own.filter(({ language, flags }) => language === 'ts' && !flags.includes('no-run'))
  const shell = own.filter(({ language, flags }) => language === 'sh' && flags.includes('run'))
  // In a full run, each example runs in a separate process.
  const shared = isFull ? [] : runnable.filter(({ flags }) => !flags.includes('ignore'))
  const passed = runInTurn(shared)

  async function run(example: Example): Promise<void> {
    const { name, document, flags } = example
    if (flags.includes('ignore')) return checks.skip(document, 'marked as ignored')
    if ((await passed).has(example)) return await checks.run(name, () => [])
    const server = await neededServer(example)
    if (server.missing !== undefined) return checks.skip(document, server.missing)
    await checks.run(name, async () => {
      const { exitCode, output } = await runExample(example, server)
      return exitCode === 0 ? [] : [renameInMessage(output, checked)]
    })
  }

  async function runDocument(wanted: string): Promise<void> {
    const ofDocument = ({ document }: Example): boolean => document === wanted
    await checks.run(`${wanted} in a shell`, async () => {
      const { exitCode, output, last } = await runShell(shell.filter(ofDocument), checked.filter(ofDocument))
      return exitCode === 0 ? [] : [`${last?.name ?? ''}\n${output}`]
    })
  }

  const documents = [...new Set(shell.map(({ document }) => document))]
  const left = [...runnable.map((one) => () => run(one)), ...documents.map((one) => () => runDocument(one))].values()
  const runLeft = async (): Promise<void> => {
    for (const runNext of left) await runNext()
  }
  await Promise.all(Array.from({ length: PROCESSES }, runLeft))
}
