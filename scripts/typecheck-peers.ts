/** Compiles the sources and type tests of each adapter against the versions of its peer sets. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listPeerSets, type PeerSet } from '../internal/peers/peer-sets.ts'

const ROOT = join(import.meta.dirname, '..')
const CACHE = join(ROOT, 'node_modules/.cache/typecheck-peers')

rmSync(CACHE, { recursive: true, force: true })
mkdirSync(CACHE, { recursive: true })
for (const set of listPeerSets(ROOT)) {
  const config = join(CACHE, `${set.name}.json`)
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.test.json'),
      compilerOptions: { paths: Object.fromEntries(set.packages.flatMap((name) => typesOf(set, name))) },
      include: [`${ROOT}/${set.adapter}/src/**/*.ts`, `${ROOT}/${set.adapter}/test/**/*.test-d.ts`],
      exclude: [`${ROOT}/**/*.test.ts`, ...set.leavesOut.map((folder) => `${ROOT}/${set.adapter}/**/${folder}`)],
    }),
  )
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', config], { stdio: 'inherit' })
}

/** Point each entry of a package to its declarations, at their real path, from where they find what they import. */
function typesOf(set: PeerSet, name: string): [string, string[]][] {
  const folder = realpathSync(join(set.folder, 'node_modules', name))
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { exports: Entries }
  return Object.entries(exports).flatMap(([entry, target]): [string, string[]][] => {
    const types = declarationsOf(target, entry.endsWith('/*'))
    return types === undefined || /\*./.test(entry) ? [] : [[name + entry.slice(1), [join(folder, types)]]]
  })
}

type Entries = { readonly [entry: string]: string | null | Entries }

/** Of a pattern that names modules alone, the declarations are beside them. */
function declarationsOf(target: string | null | Entries, isPattern: boolean): string | undefined {
  if (target === null) return undefined
  if (typeof target === 'string') {
    if (/\.d\.[cm]?ts$/.test(target)) return target
    return isPattern && /\.m?js$/.test(target) ? target.replace(/\.(m?)js$/, '.d.$1ts') : undefined
  }
  const { types, import: esm, default: rest } = target
  for (const one of [types, esm, rest]) {
    const found = one === undefined ? undefined : declarationsOf(one, isPattern)
    if (found !== undefined) return found
  }
  return undefined
}
