/** Checks that every dependency has a permissive license, or is not part of a published package. */
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { ROOT } from './public-packages.ts'

/** Licenses that only require a copy of the license text. If a package has several, one of these is enough. */
const PERMITTED =
  /^(?:0BSD|AFL-2\.1|Apache-2\.0|BlueOak-1\.0\.0|BSD|BSD-[23]-Clause|CC0-1\.0|ISC|MIT|MIT-0|Python-2\.0|Unlicense|Zlib)$/

/** Packages with other licenses. None is a dependency of a published package. */
const OTHERS: Readonly<Record<string, string>> = {
  '@anthropic-ai/claude-agent-sdk': 'a framework, whose terms its users accept',
  '@anthropic-ai/claude-agent-sdk-linux-x64': 'a part of this framework',
  '@img/sharp-libvips-linux-x64': 'LGPL, linked dynamically by sharp, which reads images in tests',
  '@modelcontextprotocol/server-everything': 'a server of tests; MIT in its LICENSE file',
  '@modelcontextprotocol/server-filesystem': 'a server of tests; MIT in its LICENSE file',
  '@modelcontextprotocol/server-memory': 'a server of tests; MIT in its LICENSE file',
  '@sap/xsenv': 'an optional part of a framework',
  '@sap/xssec': 'an optional part of a framework',
  'axe-core': 'MPL, checks pages in tests',
  'caniuse-lite': 'CC-BY, data of a build tool',
  lightningcss: 'MPL, a build tool',
  'lightningcss-linux-x64-gnu': 'MPL, a build tool',
  'uri-templates': 'public domain in its LICENSE file, of a framework',
}

interface Dependency {
  readonly name: string
}

it('every dependency has a permissive license, or is listed with a reason', () => {
  const args = ['--recursive', 'licenses', 'list', '--json']
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8, shell: process.platform === 'win32' } as const
  const found = JSON.parse(execFileSync('pnpm', args, options)) as Readonly<Record<string, readonly Dependency[]>>
  expect(Object.keys(found)).toContain('MIT')
  const others = Object.entries(found).filter(([license]) => !isPermitted(license))
  const names = others.flatMap(([license, all]) => all.map(({ name }) => ({ name, license })))
  expect(names.filter(({ name }) => !(name in OTHERS))).toEqual([])
})

/** Return whether one alternative of a license consists only of permitted licenses. */
function isPermitted(license: string): boolean {
  const alternatives = license.replaceAll(/[()]/g, '').split(' OR ')
  return alternatives.some((one) => one.split(' AND ').every((name) => PERMITTED.test(name)))
}
