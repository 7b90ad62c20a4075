/** Builds and packs every public package once, before the tests that look at the tarballs. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { listPublicPackages, ROOT } from './public-packages.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The packed tarball of each public package, by the package's name. */
    tarballs: Record<string, string>
  }
}

export function setup(project: TestProject): () => void {
  const destination = mkdtempSync(join(tmpdir(), 'spillway-pack-'))
  const pnpm = (folder: string, ...args: string[]): string =>
    execFileSync('pnpm', args, { cwd: join(ROOT, folder), encoding: 'utf8', shell: process.platform === 'win32' })
  pnpm('.', 'run', 'build')
  const tarballs: Record<string, string> = {}
  for (const { name, folder } of listPublicPackages()) {
    const packed = JSON.parse(pnpm(folder, 'pack', '--json', '--pack-destination', destination)) as { filename: string }
    tarballs[name] = join(destination, packed.filename.split(/[\\/]/).at(-1) ?? '')
  }
  project.provide('tarballs', tarballs)
  return () => rmSync(destination, { recursive: true })
}
