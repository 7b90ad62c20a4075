import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'

/** How long, and how much, a client may still send after its answer. */
const LINGER_MS = 1_000
const LINGER_BYTES = 67_108_864

/**
 * Let a connection that closes after an answer take for a moment what the client is still sending, and throw it away.
 *
 * A connection that is closed with bytes in it that nobody has read is reset, and the reset overtakes the answer: the client
 * would never know why. So only the sending side is closed first (RFC 9112, section 9.6).
 */
export function lingerOnClose(incoming: IncomingMessage): void {
  const { socket } = incoming
  // Not that of the socket, which may be of its request before.
  const destroySoon = (): void => Socket.prototype.destroySoon.call(socket)
  // Node.js calls it once the answer is written, where the connection shall not be used again.
  socket.destroySoon = () => {
    if (incoming.complete) {
      destroySoon()
      return
    }
    const start = socket.bytesRead
    const timer = setTimeout(destroySoon, LINGER_MS).unref()
    incoming.on('data', () => {
      if (socket.bytesRead - start > LINGER_BYTES) destroySoon()
    })
    incoming.once('end', destroySoon)
    socket.once('end', destroySoon)
    socket.once('close', () => clearTimeout(timer))
    socket.end()
    incoming.resume()
  }
}
