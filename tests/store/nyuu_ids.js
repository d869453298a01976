// Message-ids as Nyuu writes them. Arguments: how many, and how many numbers were drawn before them.
const n=+process.argv[2], skip=+process.argv[3];
for(let i=0;i<skip;i++) Math.random();
let t=1700000000000; const out=[];
for(let k=0;k<n;k++){ let s=''; for(let i=0;i<24;i++) s+=String.fromCharCode((i%2?97:65)+Math.random()*26); t+=8+(k*7)%14; out.push(s+'-'+t+'@nyuu'); }
console.log(out.join('\n'));
