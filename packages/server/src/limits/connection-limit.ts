interface Closable {
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

interface Connection {
  readonly network: string
  /** Number of allowed requests without a response so far. */
  busy: number
  isKnown: boolean
}

/** Share of the connections that one network may use. */
const NETWORK_SHARE = 0.5

/**
 * Limits the number of open connections: of all clients, and of each address or IPv6 network. A new connection replaces
 * an idle one: first connections without any allowed request, then the connection that is idle for the longest time. If
 * no connection is idle, the new connection is closed.
 */
export class ConnectionLimit<Socket extends Closable> {
  readonly #max: number
  /** Connections, beginning with the one that is idle for the longest time. */
  readonly #connections = new Map<Socket, Connection>()
  readonly #counts = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#connections.size
  }

  add(socket: Socket, address = ''): void {
    const network = networkOf(address)
    const isOverShare = this.#countOf(network) >= this.#max * NETWORK_SHARE
    if ((isOverShare || this.size >= this.#max) && !this.#closeIdle(isOverShare ? network : undefined)) {
      socket.destroy()
      return
    }
    this.#connections.set(socket, { network, busy: 0, isKnown: false })
    this.#counts.set(network, this.#countOf(network) + 1)
    socket.once('close', () => this.#remove(socket))
  }

  /** Mark a connection as busy during an allowed request. Returns a function that ends the request. */
  begin(socket: Socket): () => void {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return () => {}
    connection.busy += 1
    connection.isKnown = true
    return () => {
      connection.busy -= 1
      if (this.#connections.delete(socket)) this.#connections.set(socket, connection)
    }
  }

  #closeIdle(network: string | undefined): boolean {
    const idle = [...this.#connections].filter(([, { busy, network: its }]) => busy === 0 && (network ?? its) === its)
    const [socket] = idle.find(([, { isKnown }]) => !isKnown) ?? idle[0] ?? []
    if (socket === undefined) return false
    this.#remove(socket)
    socket.destroy()
    return true
  }

  #remove(socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return
    this.#connections.delete(socket)
    const left = this.#countOf(connection.network) - 1
    if (left === 0) this.#counts.delete(connection.network)
    else this.#counts.set(connection.network, left)
  }

  #countOf(network: string): number {
    return this.#counts.get(network) ?? 0
  }
}

const GROUPS = 8
const GROUPS_OF_NETWORK = 4

/** Return the network of an address, because one IPv6 client may use all addresses of its network. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [start, end] = address.split('::').map((half) => half.split(':'))
  const zeros = end === undefined ? [] : Array<string>(GROUPS - start!.length - end.length).fill('0')
  return [...start!, ...zeros, ...(end ?? [])].slice(0, GROUPS_OF_NETWORK).join(':')
}
