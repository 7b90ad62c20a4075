import { existsSync } from 'node:fs'
import { chromium, type Browser, type Page, type BrowserContextOptions } from 'playwright-core'
import { onTestFinished } from 'vitest'

/** Path of a Chromium on this machine, or `undefined`. */
export const CHROMIUM: string | undefined = [
  process.env['SPILLWAY_TEST_CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path))

let browser: Promise<Browser> | undefined

/** Close the browser if a test has started it. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

/** An open page, and the problems it caused. */
export interface OpenedPage {
  readonly page: Page
  /** Errors of scripts, dialogs, and requests that the page must not send. */
  readonly faults: readonly string[]
}

/** Open a URL in a separate browser context, until the test ends. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  // Chromium's sandbox needs a user other than root, but test machines often have only root.
  browser ??= chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] })
  const context = await (await browser).newContext({ viewport: { width: 1_400, height: 800 }, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const faults: string[] = []
  const { origin } = new URL(url)
  page.on('pageerror', ({ message }) => faults.push(message))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`requested ${request.url()}`)
  })
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) faults.push(message.text())
  })
  await page.goto(url)
  return { page, faults }
}
