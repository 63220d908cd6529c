import { Hono } from 'hono';

export function heavy(...values: unknown[]): unknown {
  return [new Hono(), values];
}
