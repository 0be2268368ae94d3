import { afterEach, expect, test, vi } from 'vitest';
import { channelNews } from './channel-news.js';

afterEach(() => vi.unstubAllGlobals());

test('news that are told after the last one has stopped to hear open no channel again', () => {
  const open = new Set<object>();
  class Channel {
    onmessage: unknown;
    constructor() {
      open.add(this);
    }
    postMessage() {}
    close() {
      open.delete(this);
    }
  }
  vi.stubGlobal('BroadcastChannel', Channel);
  const news = channelNews('outbox');
  const off = news.hear(() => {});
  news.tell('one');
  expect(open.size).toBe(1);
  off();
  news.tell('late');
  expect(open.size).toBe(0);
});
