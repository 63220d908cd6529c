// A model server that loads for a moment: `slow-server.ts PORT LOADING_MS`. It prints its environment, and answers every message with "ready".
const [port = '0', loading = '0'] = process.argv.slice(2);
const readyAt = Date.now() + Number(loading);
process.stdout.write(`${Object.keys(process.env).sort().join(' ')}\n`);

const CHUNK = { id: 'a', object: 'chat.completion.chunk', created: 0, model: 'slow' };
const ANSWER = [
  { ...CHUNK, choices: [{ index: 0, delta: { role: 'assistant', content: 'ready' }, finish_reason: null }] },
  { ...CHUNK, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
];

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  fetch(request) {
    if (Date.now() < readyAt) return Response.json({ error: { message: 'Loading model', code: 503 } }, { status: 503 });
    if (request.method === 'GET') return Response.json({ object: 'list', data: [{ id: 'slow', object: 'model' }] });
    const body = `${ANSWER.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  },
});
