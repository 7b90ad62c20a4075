import { connect } from 'node:net'

const TIMEOUT_MS = 5_000

/** An error reply of a Redis server. */
export class RedisReplyError extends Error {}

/**
 * Send commands over a new connection, one after the other, and return the last reply. Integers are returned as text,
 * and a null reply as an empty text. Arrays are not supported. Rejects with {@link RedisReplyError} if the server
 * refuses a command, and with the socket's error if there is no server.
 */
export async function askRedis(port: number, ...commands: readonly (readonly string[])[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' })
  let pending = ''
  socket.setEncoding('utf8')
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`Redis on port ${port} does not answer.`)))
  socket.write(commands.map(encode).join(''))
  try {
    let replies = 0
    let reply = ''
    for await (const chunk of socket as AsyncIterable<string>) {
      pending += chunk
      for (let found = takeReply(pending); found !== undefined; found = takeReply(pending)) {
        pending = pending.slice(found.length)
        reply = found.reply
        replies += 1
        if (replies === commands.length) return reply
      }
    }
    // A server that is killed during a command ends or resets the connection.
    throw Object.assign(new Error(`Redis on port ${port} closed the connection.`), { code: 'ECONNRESET' })
  } finally {
    socket.destroy()
  }
}

function encode(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
}

/**
 * Remove one complete reply from the start. Replies of the commands that are used here are ASCII, so characters are
 * bytes.
 */
function takeReply(text: string): { readonly reply: string; readonly length: number } | undefined {
  const end = text.indexOf('\r\n')
  if (end < 0) return undefined
  const line = text.slice(1, end)
  if (text.startsWith('-')) throw new RedisReplyError(line)
  if (!text.startsWith('$')) return { reply: line, length: end + 2 }
  const size = Number(line)
  if (size < 0) return { reply: '', length: end + 2 }
  const whole = end + 2 + size + 2
  return text.length < whole ? undefined : { reply: text.slice(end + 2, end + 2 + size), length: whole }
}
