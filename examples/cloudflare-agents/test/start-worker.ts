import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** The folder in which `setup.sh` installs miniflare. */
const FOLDER = process.env['SPILLWAY_WORKERD'] ?? join(tmpdir(), 'spillway-workerd')

/** The part of `miniflare` that is used here. It is not a dependency of the workspace. */
interface Miniflare {
  dispatchFetch(url: string, init?: { readonly method: string; readonly body: string }): Promise<Response>
  dispose(): Promise<void>
}

interface MiniflareModule {
  readonly Miniflare: new (options: Readonly<Record<string, unknown>>) => Miniflare
}

/** Whether Workers can run on this machine. */
export const hasWorkerd: boolean = existsSync(join(FOLDER, 'node_modules/miniflare'))

/** Bundle a module like a deployment, and run it in workerd with these `options` of miniflare. */
export async function startWorker(path: string, options: Readonly<Record<string, unknown>>): Promise<Miniflare> {
  const bundle = await rolldown({
    input: path,
    platform: 'browser',
    external: [/^(?:node|cloudflare):/, 'path'],
    resolve: { conditionNames: ['workerd', 'worker', 'browser', 'import', 'default'] },
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  // The types of a package in another folder are not available here.
  const { Miniflare } = createRequire(join(FOLDER, 'package.json'))('miniflare') as MiniflareModule
  return new Miniflare({ modules: true, script: output[0].code, compatibilityDate: '2026-07-01', ...options })
}
