import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findRedis } from './find-redis.ts'
import { runProgram } from './run-program.ts'

const found = await findRedis()
const NEEDED = ['redis-server', 'sh', 'cat', 'rm', 'sleep']

// If there is no Docker engine, this program replaces it: containers are processes of this machine, stored by name.
const DOCKER = `#!/bin/sh
case $1 in
  version) echo 28 ;;
  run)
    name=$3
    while [ "$1" != redis:7 ]; do shift; done
    shift
    [ ! -e FOLDER/$name ] || { echo "The name $name is taken."; exit 125; }
    echo $$ > FOLDER/$name
    exec SERVER "$@" ;;
  kill) kill -s \${3#SIG} $(cat FOLDER/$4) ;;
  rm) kill -9 $(cat FOLDER/$3); rm FOLDER/$3; exit 0 ;;
esac
`
const SCRIPT = `import { startRedis } from ${JSON.stringify(join(import.meta.dirname, 'redis-server.ts'))}
import { findRedis } from ${JSON.stringify(join(import.meta.dirname, 'find-redis.ts'))}
import { askRedis } from ${JSON.stringify(join(import.meta.dirname, 'ask-redis.ts'))}
const found = await findRedis()
const server = await startRedis({ appendfsync: 'always' })
await askRedis(server.port, ['SET', 'key', 'value'])
await server.kill()
const whileDown = await askRedis(server.port, ['PING']).catch((error) => error.code)
await server.start()
await server.stop()
await server.start()
console.log(JSON.stringify([found.from, whileDown, await askRedis(server.port, ['GET', 'key'])]))
await server.dispose()`

test.skipIf(!found.available || found.from !== 'installed' || process.platform !== 'linux')(
  'a server of Docker can be killed, stopped and started like an installed server',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'spillway-docker-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const { output: paths } = await runProgram('sh', ['-c', 'for name; do command -v $name; done', 'sh', ...NEEDED])
    const [server = '', ...tools] = paths.trim().split('\n')
    for (const tool of tools) await symlink(tool, join(folder, tool.split('/').at(-1) ?? ''))
    await writeFile(join(folder, 'docker'), DOCKER.replaceAll('FOLDER', folder).replaceAll('SERVER', server))
    await chmod(join(folder, 'docker'), 0o755)
    const { output } = await runProgram(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
      env: { PATH: folder },
    })
    expect(output).toBe('["docker","ECONNREFUSED","value"]\n')
  },
)
