/** Takes the screenshots of the docs from the store of the demo: run `node scripts/demo.mjs`, then this file. */
import { buildPage } from '@spillway-internal/build/page'
import { ContextOffloader } from '@spillway/core'
import { FileJournal, FileStorage } from '@spillway/file'
import { createInspector } from '@spillway/inspector'
import { serve } from '@spillway/server/node'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const ROOT = join(import.meta.dirname, '../../..')
const STORE = join(ROOT, 'examples/demo/.spillway')

await buildPage('dist/page', join(import.meta.dirname, '..'))
const storage = new FileStorage(STORE)
const inspector = createInspector({ storage, journal: new FileJournal(join(STORE, '.journal')) })
const service = await serve(new ContextOffloader({ storage }), { port: 0, mount: inspector })
const executablePath = process.env['SPILLWAY_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 1_200, height: 640 } })
await page.goto(inspector.url(service.url))
await page.locator('.row a').first().click()
await page.getByText('The model sees').waitFor()
// The link goes to the line of the first failure, which the preview shows.
const preview = page.getByLabel('Replacement')
const [, line = '1'] = /^(\d+)\|.*Failed Tests/m.exec(await preview.innerText()) ?? []
await page.evaluate((hash) => void (location.hash += hash), `&line=${line}`)
await preview.evaluate((element) => (element.scrollTop = element.scrollHeight / 2))
await page.locator('.line.target code:not(:empty)').waitFor()
await page.screenshot({ path: join(ROOT, 'docs/images/inspector-entry.png') })
await page.getByRole('link', { name: 'search' }).click()
await page.getByLabel('pattern', { exact: true }).fill('AssertionError')
await page.getByRole('button', { name: 'Search' }).click()
await page.locator('.answer').waitFor()
await page.screenshot({ path: join(ROOT, 'docs/images/inspector-search.png') })
await browser.close()
await service.close({ graceMs: 1 })
