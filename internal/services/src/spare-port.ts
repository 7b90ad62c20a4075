import { createServer } from 'node:net'

// Below what Linux, macOS and Windows hand out for outgoing connections, and so are 10,000 further up the ports that the
// nodes of a Redis Cluster use among themselves: a server that is started again finds its port still free.
const FIRST = 10_240
const COUNT = 11_760
const CLUSTER_BUS_OFFSET = 10_000
const ATTEMPTS = 100

/**
 * Find a free port of 127.0.0.1, with a free one 10,000 above, which the node of a Redis Cluster
 * takes too. Rejects if a hundred in a row are taken.
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
