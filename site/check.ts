// Opens each page of the built site in Chromium, as wide as a phone and in the dark theme.
//   node site/check.ts [PATH...]    after docs:build; CHROMIUM is the browser's path
// Fails on an error in the console, a request elsewhere, a page that is too wide, a first load above 200 KB of scripts
// and styles, or what axe finds.
import axe from 'axe-core'
import { chromium, type Page } from 'playwright-core'
import { globSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { serve } from 'vitepress'

const DIST = join(import.meta.dirname, '.vitepress/dist')
const WIDTH = 400
const MAX_FIRST_LOAD_BYTES = 200_000

const { server } = await serve({ root: import.meta.dirname, port: 0 })
const origin = `http://localhost:${(server?.address() as AddressInfo).port}`
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const context = await browser.newContext({ viewport: { width: WIDTH, height: 800 }, colorScheme: 'dark' })
const given = process.argv.slice(2)
const paths = given.length > 0 ? given : globSync('**/*.html', { cwd: DIST }).map((file) => file.replace(/\.html$/, ''))
let faults = 0

for (const path of paths.filter((name) => name !== '404').toSorted()) {
  const page = await context.newPage()
  const found: string[] = []
  let bytes = 0
  page.on('console', (message) => message.type() === 'error' && found.push(`console: ${message.text()}`))
  page.on('pageerror', (error) => found.push(`error: ${error.message}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) found.push(`asks ${request.url()}`)
  })
  page.on('response', (response) => {
    if (/\.(?:js|css)$/.test(response.url())) bytes += sizeOf(new URL(response.url()).pathname)
  })
  await page.goto(`${origin}/${path === 'index' ? '' : path}`, { waitUntil: 'load' })
  if (path === 'index' && bytes > MAX_FIRST_LOAD_BYTES) found.push(`loads ${bytes} bytes at first`)
  found.push(...(await faultsOf(page)))
  if (path === 'playground') found.push(...(await faultsOfPlayground(page)))
  for (const fault of found) console.log(`${path}: ${fault}`)
  faults += found.length
  await page.close()
}
console.log(`${paths.length} pages, ${faults} faults`)
await browser.close()
server?.close()
process.exitCode = faults === 0 ? 0 : 1

function sizeOf(path: string): number {
  return gzipSync(readFileSync(join(DIST, path))).length
}

async function faultsOf(page: Page): Promise<string[]> {
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as { axe: typeof import('axe-core') }
    const result = await checker.run()
    return result.violations.map(({ id, nodes }) => `axe ${id}: ${nodes[0]?.html.slice(0, 120)}`)
  })
  return [...(width > WIDTH ? [`is ${width} pixels wide`] : []), ...violations]
}

async function faultsOfPlayground(page: Page): Promise<string[]> {
  const answer = page.getByLabel('Answer', { exact: true })
  await answer.filter({ hasText: 'ERROR payment 4711' }).waitFor({ timeout: 60_000 })
  const preview = await page.getByLabel('Preview', { exact: true }).textContent()
  await page.getByRole('button', { name: 'CSV' }).click()
  await page.getByRole('combobox').selectOption('sql')
  await answer.filter({ hasText: 'failed | 222' }).waitFor({ timeout: 60_000 })
  return preview?.includes('ERROR payment 4711') === true ? [] : ['the preview lacks the error']
}
