/**
 * Lets a script run on any machine with npm and Node.js 18 or newer. If Node.js 24 or pnpm 12 is missing, it starts the
 * script again with both from npm. It has no dependencies, because it runs before any installation.
 */
import { spawn } from 'node:child_process'

const NODE_MAJOR = 24
const PNPM_MAJOR = 12

/** Return if Node.js and pnpm are available. Otherwise, run this script again with both, and exit with its code. */
export async function ensureToolchain() {
  process.env.TURBO_TELEMETRY_DISABLED = '1'
  process.env.npm_config_update_notifier = 'false'
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR && (await hasPnpm())) return
  if (process.env.SPILLWAY_TOOLCHAIN !== undefined) {
    fail(`npm could not provide Node.js ${NODE_MAJOR} and pnpm ${PNPM_MAJOR}: install them, then run this again.`)
  }
  console.log(
    `Getting Node.js ${NODE_MAJOR} and pnpm ${PNPM_MAJOR} from npm (this is Node.js ${process.versions.node}) …`,
  )
  process.env.SPILLWAY_TOOLCHAIN = 'npx'
  const packages = ['-p', `node@${NODE_MAJOR}`, '-p', `pnpm@${PNPM_MAJOR}`]
  // npx would not pass on a SIGTERM to the script, so it only prints the path to both programs.
  const path = await outputOf('npx', ['-y', ...packages, 'node', '-p', 'process.env.PATH'], 'inherit')
  if (path === undefined) fail('npx failed: see above.')
  process.env.PATH = path
  process.exit(await run('node', process.argv.slice(1)))
}

/**
 * Run a command with this terminal. Returns its exit code: 130 after SIGINT, 143 after another signal.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number>}
 */
export async function run(command, args, options = {}) {
  const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32', ...options })
  const forward = (signal) => child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, forward)
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 143)))
    })
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, forward)
  }
}

/** Print an error, and exit. */
export function fail(message) {
  console.error(message)
  process.exit(1)
}

async function hasPnpm() {
  return (await outputOf('pnpm', ['--version']))?.startsWith(`${PNPM_MAJOR}.`) ?? false
}

/** Return the trimmed output of a command; `undefined` if the command fails or does not exist. */
function outputOf(command, args, errors = 'ignore') {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', errors],
    })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.once('error', () => resolve(undefined))
    child.once('close', (code) => resolve(code === 0 ? output.trim() : undefined))
  })
}
