import type { Checks } from './checks.ts'
import { listEntries, type ExportedName } from './exported-names.ts'
import { ROOT } from '../packages/public-packages.ts'

const isCode = ({ kind }: ExportedName): boolean => kind === 'function' || kind === 'class'
const hasExample = ({ documentation }: ExportedName): boolean => /@example[^]*```ts/.test(documentation ?? '')
const placesOf = (names: readonly ExportedName[]): string[] => [
  ...new Set(names.map(({ name, location }) => `${location} ${name}`)),
]

/** Check that exported names are documented, and that functions and classes of main entries have an example. */
export async function checkNames(checks: Checks, of: string): Promise<void> {
  const entries = listEntries(ROOT, of)

  await checks.run('Exported names have a TSDoc comment that starts with a sentence', () => {
    const names = entries.flatMap((entry) => entry.names)
    return placesOf(names.filter(({ documentation }) => !/^[\s*]*[A-Z`{][^]*?[.:?]/.test(documentation ?? '')))
  })

  await checks.run('Exported functions and classes of a main entry come with an example', () => {
    const names = entries.flatMap((entry) => (entry.isMain ? entry.names : []))
    return placesOf(names.filter((one) => isCode(one) && !hasExample(one)))
  })

  await checks.run('Every other entry has an example', () =>
    entries.filter(({ names }) => names.some(isCode) && !names.some(hasExample)).map(({ name }) => name),
  )
}
