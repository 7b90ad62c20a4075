import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** Matches the folder of a package in a path of pnpm. */
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/

/** Bundle `src/page` of the package in `folder` into `output`. Code loaded on first use is in separate modules. */
export async function buildPage(output: string, folder: string = process.cwd()): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: ['src/page/main.tsx', 'src/page/style.css'],
    outdir: output,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    tsconfig: 'src/page/tsconfig.json',
    chunkNames: '[name]-[hash]',
    metafile: true,
    logLevel: 'warning',
  })
  cpSync(join(folder, 'src/page/index.html'), join(folder, output, 'index.html'))
  const packages = new Set(Object.keys(metafile.inputs).flatMap((path) => PACKAGE.exec(path)?.[0] ?? []))
  writeFileSync(
    join(folder, output, 'LICENSES.txt'),
    [...packages].map((one) => licenseOf(join(folder, one))).join('\n'),
  )
}

/** Return the license of a bundled package: many licenses require that they are distributed with the code. */
function licenseOf(path: string): string {
  const { name, license, author } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest
  const file = join(path, 'LICENSE')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : `${license}, by ${JSON.stringify(author)}\n`
  return `${name}\n\n${text}`
}

interface Manifest {
  readonly name: string
  readonly license: string
  readonly author?: unknown
}
