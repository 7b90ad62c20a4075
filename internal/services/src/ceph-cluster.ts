import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findCeph } from './find-s3.ts'
import { GuardedFolder } from './guarded-folder.ts'
import { runProgram } from './run-program.ts'
import { ServerProcess } from './server-process.ts'
import { sparePort } from './spare-port.ts'

const COMMAND_MS = 60_000
const MEMORY_BYTES = 4 * 2 ** 30
/** Parts of Ceph that keep records of each request. Errors are logged anyway. */
const QUIET = ['auth', 'crush', 'finisher', 'memstore', 'monc', 'ms', 'objclass', 'objecter', 'osd', 'rados', 'rgw']

/** A Ceph cluster without a gateway: one monitor, and one object store in memory. */
export interface CephCluster {
  /** Folder for gateways, with configuration, keys, and logs. */
  readonly folder: GuardedFolder
  /** Kill the servers and remove their data. */
  dispose(): Promise<void>
}

/**
 * Start a Ceph cluster on spare ports of 127.0.0.1. Needs no root. The cluster ends at the latest when this process
 * ends, even by SIGKILL. Rejects if Ceph is not installed or does not start. The error contains the last output of the
 * servers.
 */
export async function startCephCluster(): Promise<CephCluster> {
  const found = await findCeph()
  if (!found.available) throw new Error(`Ceph cannot be started: ${found.why}.`)
  const folder = new GuardedFolder('ceph')
  const servers: ServerProcess[] = []
  const dispose = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.kill()))
    await folder.remove()
  }
  const start = async (command: string, id: string, isReady: () => Promise<boolean>): Promise<void> => {
    const args = ['--conf', configOf(folder.path), '--id', id, '--foreground']
    const server = new ServerProcess(folder, { name: command, command, args, isReady, timeoutMs: COMMAND_MS })
    servers.push(server)
    await server.start()
  }
  try {
    await prepare(folder.path)
    await start('ceph-mon', 'a', async () => (await ceph(folder.path, ['--connect-timeout', '5', 'mon', 'stat'])).ok)
    await must(ceph(folder.path, ['osd', 'create']))
    await must(runIn(folder.path, 'ceph-osd', ['--id', '0', '--mkfs']))
    await must(ceph(folder.path, ['osd', 'crush', 'add', 'osd.0', '1.0', 'root=default', 'host=h']))
    await start('ceph-osd', '0', async () => (await ceph(folder.path, ['osd', 'stat'])).output.includes('1 up'))
    return { folder, dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** Return the path of the configuration in a cluster's folder. */
export const configOf = (folder: string): string => join(folder, 'ceph.conf')

/** Run a program with the configuration of the cluster in a folder. Rejects if the program fails. */
export async function runIn(folder: string, command: string, args: readonly string[]): Promise<CommandOutcome> {
  const { exitCode, output } = await runProgram(command, ['--conf', configOf(folder), ...args], {
    timeoutMs: COMMAND_MS,
  })
  return { ok: exitCode === 0, output: `${command} ${args.join(' ')}: ${output}` }
}

interface CommandOutcome {
  readonly ok: boolean
  readonly output: string
}

const ceph = (folder: string, args: readonly string[]): Promise<CommandOutcome> => runIn(folder, 'ceph', args)

/** Reject with the output of a failed command. */
export async function must(running: Promise<CommandOutcome>): Promise<void> {
  const { ok, output } = await running
  if (!ok) throw new Error(output.slice(-2_000))
}

/** Write the configuration, the keys, and the initial data of the monitor. */
async function prepare(folder: string): Promise<void> {
  for (const name of ['mon', 'osd', 'rgw', 'run', 'log']) mkdirSync(join(folder, name))
  const fsid = crypto.randomUUID()
  const address = `[v2:127.0.0.1:${await sparePort()},v1:127.0.0.1:${await sparePort()}]`
  writeFileSync(configOf(folder), configuration(folder, fsid, address))
  const keyring = join(folder, 'keyring')
  const key = (name: string, ...options: string[]): Promise<void> =>
    must(runIn(folder, 'ceph-authtool', [keyring, '--gen-key', '--name', name, '--cap', 'mon', 'allow *', ...options]))
  await key('mon.', '--create-keyring')
  for (const name of ['client.admin', 'client.rgw', 'osd.0']) await key(name, '--cap', 'osd', 'allow *')
  const map = join(folder, 'monmap')
  await must(runIn(folder, 'monmaptool', ['--create', '--fsid', fsid, '--addv', 'a', address, map]))
  await must(runIn(folder, 'ceph-mon', ['--mkfs', '--id', 'a', '--monmap', map, '--keyring', keyring]))
}

function configuration(folder: string, fsid: string, address: string): string {
  return `[global]
fsid = ${fsid}
mon host = ${address}
mon initial members = a
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
keyring = ${folder}/keyring
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
mon allow pool size one = true
# Changes of the cluster are decided at once: each pool would take a second.
paxos propose interval = 0.02
paxos min wait = 0.01
# Nobody can create a bucket until a gateway that was killed is given up: by default 30 seconds. Those that live say so at
# each tick, which by default is every 5 seconds.
osd client watch timeout = 6
objecter tick interval = 1
mon data avail warn = 1
mon data avail crit = 0
osd crush chooseleaf type = 0
osd crush update on start = false
osd class update on start = false
osd objectstore = memstore
memstore device bytes = ${MEMORY_BYTES}
# With the defaults, 512 threads and records in memory for each request take a third of the gateway's time.
rgw thread pool size = 32
${QUIET.map((part) => `debug ${part} = 0/0`).join('\n')}
run dir = ${folder}/run
admin socket =
pid file =
log file = ${folder}/log/$name.log
mon data = ${folder}/mon
osd data = ${folder}/osd
rgw data = ${folder}/rgw
public addr = 127.0.0.1
cluster addr = 127.0.0.1
`
}
