import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { listPublicPackages, ROOT, tarballOf, type PublicPackage } from './public-packages.ts'

/**
 * Unpack packed packages into one new folder, as in an installation. Their dependencies are linked from the workspace,
 * so that nothing is installed.
 *
 * @param packages - Names of the packages. Defaults to all public packages.
 * @param tarball - Finds the tarball of a package. Defaults to the tarball that this workspace has packed.
 * @returns The folder. Packages are in its `node_modules`.
 */
export function unpackPackages(
  packages: readonly PublicPackage[] = listPublicPackages(),
  tarball: (of: PublicPackage) => string = ({ folder }) => tarballOf(folder),
): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'spillway-layout-')))
  for (const one of packages) {
    const { name, folder: source } = one
    const target = join(folder, 'node_modules', name)
    mkdirSync(target, { recursive: true })
    execFileSync('tar', ['-xzf', tarball(one), '-C', target, '--strip-components=1'])
    const modules = join(ROOT, source, 'node_modules')
    for (const dependency of namesIn(modules)) {
      if (dependency.startsWith('@spillway')) continue
      const link = join(target, 'node_modules', dependency)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(realpathSync(join(modules, dependency)), link, 'junction')
    }
  }
  return folder
}

/** Return the names of the packages in a `node_modules` folder. */
function namesIn(modules: string): readonly string[] {
  const names = existsSync(modules) ? readdirSync(modules).filter((name) => !name.startsWith('.')) : []
  return names.flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
  )
}
