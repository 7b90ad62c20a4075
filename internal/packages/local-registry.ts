/** Starts Verdaccio on the loopback interface: a real registry, to which packages are published like to npm. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { OLDEST_NODE, ROOT } from './public-packages.ts'

/** Programs that only a rehearsal needs. They are not in the workspace, whose lockfile would grow by 300 packages. */
const DEPENDENCIES = { verdaccio: '6.10.4', node: '22', 'oldest-node': `npm:node@${OLDEST_NODE}.0` }

/** An empty registry. */
export interface LocalRegistry {
  readonly url: string
  /** Environment variables with which npm and pnpm publish to the registry. */
  readonly env: Readonly<Record<string, string>>
  /** Paths of Node.js programs from npm: the newest version 22, and the oldest supported version. */
  readonly node22: string
  readonly oldestNode: string
  close(): void
}

/** Install Verdaccio once, and start it with an empty storage. Needs network access. */
export async function startLocalRegistry(): Promise<LocalRegistry> {
  const tools = join(ROOT, 'node_modules/.cache/rehearsal')
  const manifest = JSON.stringify({
    private: true,
    dependencies: DEPENDENCIES,
    // Verdaccio depends on a dist-tag that mirrors of npm's registry may lack.
    overrides: { 'node-fetch': '2.7.0' },
  })
  mkdirSync(tools, { recursive: true })
  writeFileSync(join(tools, 'package.json'), manifest)
  if (!existsSync(join(tools, 'node_modules/oldest-node'))) {
    const options = { cwd: tools, shell: process.platform === 'win32' }
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund'], options)
  }

  const folder = mkdtempSync(join(tmpdir(), 'spillway-registry-'))
  const { runServer } = createRequire(join(tools, 'package.json'))('verdaccio') as {
    readonly runServer: (config: object) => Promise<Server>
  }
  const server = await runServer({
    self_path: folder,
    storage: join(folder, 'packages'),
    packages: { '@spillway/*': { access: '$all', publish: '$all' } },
    uplinks: {},
    log: { type: 'stdout', format: 'pretty', level: 'error' },
    max_body_size: '50mb',
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const npmrc = join(folder, '.npmrc')
  // The registry accepts any publisher, but clients refuse to publish without a token.
  writeFileSync(npmrc, `registry=${url}\n${url.slice('http:'.length)}:_authToken=anybody\n`)
  return {
    url,
    env: { npm_config_userconfig: npmrc, npm_config_registry: url },
    node22: join(tools, 'node_modules/node/bin/node'),
    oldestNode: join(tools, 'node_modules/oldest-node/bin/node'),
    close: () => {
      server.close()
      server.closeAllConnections()
      rmSync(folder, { recursive: true })
    },
  }
}
