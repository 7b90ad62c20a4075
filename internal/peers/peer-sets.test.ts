/** Without these tests, a set without effect would test the newest version twice, unnoticed. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packageName } from './package-name.ts'
import { listPeerSets, PEERS_VARIABLE } from './peer-sets.ts'

const ROOT = join(import.meta.dirname, '../..')
const sets = listPeerSets(ROOT)

it('peer sets of every adapter are found', () => {
  expect(sets.map(({ name }) => name)).toEqual(expect.arrayContaining(['ai-6.0.0', 'ai-7.0.0', 'langchain-1.0.1']))
})

it('the name of a package is found in a bare specifier', () => {
  expect(['ai', 'ai/test', '@langchain/core', '@langchain/core/messages'].map(packageName)).toEqual([
    'ai',
    'ai',
    '@langchain/core',
    '@langchain/core',
  ])
})

describe.each(sets)('the set $name', (set) => {
  it('has exactly the versions in its name and manifest', () => {
    const { dependencies } = JSON.parse(readFileSync(join(set.folder, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    for (const [name, wanted] of Object.entries(dependencies)) {
      const path = join(set.folder, 'node_modules', name, 'package.json')
      const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string }
      if (wanted.startsWith('^')) expect(version.split('.')[0]).toBe(wanted.slice(1).split('.')[0])
      else expect(version).toBe(wanted)
    }
  })

  it('replaces the packages that the adapter loads in a started process', () => {
    const script = `console.log(${JSON.stringify(set.packages)}.map((name) => import.meta.resolve(name)).join('\\n'))`
    const args = ['--import', join(import.meta.dirname, 'resolve-hook.mjs'), '--input-type=module', '-e', script]
    const env = { ...process.env, [PEERS_VARIABLE]: set.folder, NODE_OPTIONS: '' }
    const resolved = execFileSync(process.execPath, args, { cwd: join(ROOT, set.adapter), env, encoding: 'utf8' })
    for (const url of resolved.trim().split('\n')) {
      expect(url).toMatch(new RegExp(`/\\.pnpm/[^/]*@(?:${versionsOf(set.folder, set.packages).join('|')})[_/]`))
    }
  })
})

function versionsOf(folder: string, packages: readonly string[]): string[] {
  return packages.map((name) => {
    const path = join(folder, 'node_modules', name, 'package.json')
    return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
  })
}
