import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './public-packages.ts'

/** The part of `@arethetypeswrong/core` that is used here. It is a dependency of its command line. */
interface TypesChecker {
  createPackageFromTarballData(tarball: Uint8Array): unknown
  checkPackage(pack: unknown): Promise<{
    readonly types: unknown
    readonly entrypoints?: Readonly<Record<string, unknown>>
    readonly problems?: readonly { readonly kind: string; readonly resolutionKind?: string }[]
  }>
}

/** Module resolutions that cannot load ES modules. */
const WITHOUT_ES_MODULES: readonly (string | undefined)[] = ['node10', 'node16-cjs']

/** List the entry points with types in a tarball, and the problems of these types if they are loaded as ES modules. */
export async function checkTypes(
  tarball: Uint8Array,
): Promise<{ readonly entrypoints: readonly string[]; readonly problems: readonly unknown[] }> {
  const cli = realpathSync(join(ROOT, 'node_modules/@arethetypeswrong/cli'))
  const core = createRequire(join(cli, 'package.json')).resolve('@arethetypeswrong/core')
  const checker = (await import(pathToFileURL(core).href)) as TypesChecker
  const {
    types,
    entrypoints = {},
    problems = [],
  } = await checker.checkPackage(checker.createPackageFromTarballData(tarball))
  const relevant = problems.filter(({ resolutionKind }) => !WITHOUT_ES_MODULES.includes(resolutionKind))
  return { entrypoints: types === false ? [] : Object.keys(entrypoints), problems: relevant }
}
