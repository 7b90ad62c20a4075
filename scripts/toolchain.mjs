/**
 * Lets a script run on any machine that has npm and Node.js 18 or newer: where the running Node.js is older than 24 or
 * pnpm 12 is missing, it starts the script again with both, taken from npm. No dependencies: it runs before any install.
 */
import { spawn } from 'node:child_process'

const NODE_MAJOR = 24
const PNPM_MAJOR = 12

/** Return once Node.js and pnpm are there; else run this script again with them and exit with its exit code. */
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
  // npx itself would not pass a SIGTERM on to a program that it runs, so it only says where both are.
  const path = await outputOf('npx', ['-y', ...packages, 'node', '-p', 'process.env.PATH'], 'inherit')
  if (path === undefined) fail('npx failed: see above.')
  process.env.PATH = path
  process.exit(await run('node', process.argv.slice(1)))
}

/**
 * Run a command with this terminal and return its exit code: 128 and more where a signal ended it.
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

/** Print why this cannot go on, and exit. */
export function fail(message) {
  console.error(message)
  process.exit(1)
}

async function hasPnpm() {
  return (await outputOf('pnpm', ['--version']))?.startsWith(`${PNPM_MAJOR}.`) ?? false
}

/** Return what a command prints, without spaces around it, or `undefined` if it fails or does not exist. */
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
