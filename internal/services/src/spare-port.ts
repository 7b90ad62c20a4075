import { createServer } from 'node:net'

// These ports, and ports 10,000 above them that Redis Cluster nodes use among themselves, are below the outgoing ports
// of Linux, macOS, and Windows. So a server that is started again still finds its port free.
const FIRST = 10_240
const COUNT = 11_760
const CLUSTER_BUS_OFFSET = 10_000
const ATTEMPTS = 100

/**
 * Find a free port of 127.0.0.1. The port 10,000 above it is free, too, because a Redis Cluster node needs both.
 * Rejects if a hundred ports in a row are taken.
 */
export async function sparePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if ((await isSpare(port)) && (await isSpare(port + CLUSTER_BUS_OFFSET))) return port
  }
  throw new Error(`None of ${ATTEMPTS} ports between ${FIRST} and ${FIRST + COUNT} was free.`)
}

async function isSpare(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
