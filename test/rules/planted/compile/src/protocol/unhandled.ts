type Event = { readonly type: 'opened' } | { readonly type: 'closed' };

export function show(event: Event): string {
  switch (event.type) {
    case 'opened':
      return 'open';
  }
}
