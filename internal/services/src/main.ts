/** The command of this package: `node internal/services/src/main.ts --help`. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dependentTests } from './dependent-tests.ts'
import { variablesOf } from './own-servers.ts'
import { provision } from './provision.ts'
import { askBroker, startBroker } from './service-broker.ts'
import { SERVICE_NAMES, type ServiceName } from './service.ts'
import { waitUntil } from './wait-until.ts'

const HELP = `pnpm --silent services <command> [redis] [redis-cluster] [s3] [postgres] [pgbouncer]

  start      start services for development (all, or those named) and print the variables that point tests at them:
             export $(pnpm --silent services start)
  status     print the variables of those that run
  stop       stop all of them, and remove their data
  provision  install what is missing, if that is allowed, and print what each service comes from
`

// A folder that tests do not use, so that tests do not touch the services of a developer.
const CACHE =
  process.env['SPILLWAY_SERVICES_CACHE'] ?? join(import.meta.dirname, '../../../node_modules/.cache/services')
const STATE = join(CACHE, 'broker')
const LOG = join(CACHE, 'log')

const [command = '--help', ...words] = process.argv.slice(2)
const unknown = words.filter((word) => !SERVICE_NAMES.some((name) => name === word))
const commands: Readonly<Record<string, (names: readonly ServiceName[]) => Promise<void>>> = {
  start,
  status,
  stop,
  provision: printProvision,
  // `start` starts this command in the background.
  serve,
}
const run = commands[command]
if (command === '--help') console.log(HELP)
else if (run === undefined || unknown.length > 0) {
  console.error(`Unknown: ${[...(run === undefined ? [command] : []), ...unknown].join(', ')}\n\n${HELP}`)
  process.exitCode = 2
} else await run(words.length === 0 ? SERVICE_NAMES : (words as ServiceName[]))

/** Start a broker that outlives this process, unless one is running, and request the services from it. */
async function start(names: readonly ServiceName[]): Promise<void> {
  for (const [name, found] of Object.entries(await provision(names)))
    if (!found.available) console.error(`${name}: ${found.why}`)
  let url = await runningBroker()
  if (url === undefined) {
    mkdirSync(CACHE, { recursive: true })
    const log = openSync(LOG, 'w')
    const args = [fileURLToPath(import.meta.url), 'serve']
    spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log] }).unref()
    await waitUntil(`the services to start (see ${LOG})`, async () => (url = await runningBroker()) !== undefined)
  }
  const services = await Promise.all(names.map((name) => askBroker(url ?? '', name)))
  for (const [index, service] of services.entries()) {
    if (service.available) printVariables(variablesOf(service))
    else {
      console.error(`${names[index]}: ${service.why}`)
      process.exitCode = 1
    }
  }
}

async function serve(): Promise<void> {
  // The process continues if its terminal is closed.
  process.on('SIGHUP', () => {})
  const broker = await startBroker()
  writeFileSync(`${STATE}.new`, broker.url, { mode: 0o600 })
  // Whoever reads an empty file would take the broker for gone.
  renameSync(`${STATE}.new`, STATE)
  const alive = setInterval(() => {}, 1 << 30)
  await broker.stopped
  rmSync(STATE, { force: true })
  clearInterval(alive)
}

async function status(names: readonly ServiceName[]): Promise<void> {
  const url = await runningBroker()
  if (url === undefined) return console.error('No services run: pnpm services start')
  const services = (await (await fetch(url)).json()) as Record<string, Awaited<ReturnType<typeof askBroker>>>
  for (const [name, service] of Object.entries(services)) {
    if (!names.some((wanted) => wanted === name)) continue
    if (service.available) printVariables(variablesOf(service))
    else console.error(`${name}: ${service.why}`)
  }
}

async function stop(): Promise<void> {
  const url = await runningBroker()
  if (url !== undefined) await fetch(url, { method: 'DELETE' })
}

async function printProvision(names: readonly ServiceName[]): Promise<void> {
  for (const [name, found] of Object.entries(await provision(names))) {
    if (found.available) {
      console.log(`${name.padEnd(14)} ${'version' in found ? `${found.version}, ` : ''}${found.from}`)
      continue
    }
    console.log(`${name.padEnd(14)} will not run: ${found.why}`)
    for (const test of dependentTests(name as ServiceName)) console.log(`${' '.repeat(14)} needed by ${test}`)
  }
}

/** Return the URL of the broker that an earlier `start` has started. Its file is removed if the broker has ended. */
async function runningBroker(): Promise<string | undefined> {
  if (!existsSync(STATE)) return undefined
  const url = readFileSync(STATE, 'utf8')
  try {
    return (await fetch(url)).ok ? url : undefined
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    rmSync(STATE, { force: true })
    return undefined
  }
}

function printVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) console.log(`${name}=${value}`)
}
