"""Two tables with a value for each of the 3^8 = 6 561 states of an edge of the board.

A full edge is worth its discs. The value of any other edge follows from fuller edges: the side to move plays its best
possible move on the edge, or leaves the edge alone. A move that flips discs along the edge is always possible. In the
first table, a move to any other empty square is possible with a probability, measured in 2 656 positions of 480
tournament games; in the second table (`brute`) it is always possible. The published report 000 tried both.

The tables are part of the source because compiled kernels contain them. Reflection and a swap of the colours turn an
edge into up to four states; only one of them is stored.
"""

import base64
import zlib

import numpy as np
import numpy.typing as npt

SQUARES = 8
STATES = 3**SQUARES

_PROBABLE = (
    "c-"
    "l2m{Zm?J7Jd~GxT2`JN)RO`26FR3F!+(gp_^!oA0?*Ih>EEnWP=%J`UmVkvD5C(&Nw@6R{@i3<Z}52Q)?ns+o;j5aSb+x1t~<4kBD9nHOO9??k~@"
    "I&Y9;tbKdhFP=nW7f;{t%*m!|u^q;W&jOb})dVjHg_Y18cTl=xnG{*J|=-"
    "Lw&?<p<4MDM2PUR}W0aV&9hX0gIa;bY!><9rE55n>y#Hr#>=0Gg=Kn~ntpWE51I?3b~OYTbL%l)2c)&T)Pe>P<OLK^*0c|L2?`{esz<uJc~R*f9*"
    "8|7k+7m?zND43l{p_&DZH#}+D49*%x2Fc_(?2qJv8EwJTW`QAf$u~_xrg7mqglJ6IUbJVkF;WO7sEVIOruAS$jg$L-"
    "R$;FB#+66SvICmPQUDEjSG&>Tt5U5GzMkBmRkSkVuC7M;E+f3Mu#a=dj2?z}a`jT*8T`~TlO3x@aQ80TITCk5^nOeHJkX5ZEn<g@!u^E$xGbVoc4"
    "9fvHTR*cLJo2p2VlP9ps&(tJ=SG&}7<pD;Fc8(S8X9+>v;wXr)$(r+MvrLD&AmcilMpS#GEGy*kD&+H=2gXUry}2q?OKSKJNKIRoOW&^b7HLOm(w"
    "XTCtr+J{RmY(!7XWOswRkzWhh7vMYdH(w?L`N9n=(8KxwMbW1C>0XnBCD8QD-"
    "1F=n!6DgblT_4Lu<3w%RO`Mu71&M*`i6Q*F9i5Wl(rzZZe04|RvFfa<TQQR<Hxx$FsXba<UTb56gV)d1v6{uf5ebE;8X^v~BxLB;{@62(Ap}=rx+"
    "PwHA&+~*iJt3F}0u;yMkK<26YTKznhJ6s|M*UhMlB{LA&$J=kPyCsqp#F^EN3K3z_-(5Bw1%q-"
    ">hgwC)`lv~vpjQ=f@Oh}#g7tbq~mX3@vnI!|6G3r7XIQ<ofzUM*B&YGu@A11Jk__Z5%B7pBXvZzr+Pn%494t((eGX&(_DpPIHcTCIi6DHQ+BQUGr"
    "C<XaH>2i&LBteRynk54LVh@@*hss{MWcT3(FmiXsAlyQx^PSgytaSKDwvaAMri8G(cM(IMfo$S{@)xK^D3tViCTk9z0L|?xn!SAM&chN?hR{NhsH"
    "b4kkWMh86FIKPbcha%fl%m^_<dpCZqO&6JnWWY!OU6L}Vd&7@^**z8bzn%VRC%)s(M^w}93cj(=)e`r(j_VI73y{V+gqbeFG8nzE7`7y<yLoxg3d"
    "*I7Z7k+cA*CX=WBlTqTY+Vc8bTzD3x@Bv~n)ri=gsgQ_q>-"
    "L@=WcJ#RdPq7m)g62&2>F^dcA&?x!MpDgPLFXfvaz89p~JAEAUE91cBfc8Tfp))yMXV00L^Z5dg0|Na;$KBzhy)16}!lJaK;?^m*_5`@((f8<b||"
    "4T^yD;9jsdrO)372^p<WAG^<98@>_c2I^het~$_=+Tbg9Rjl*gx4g-Hb9tY)mHVc_*RoUMYX(R_bkGpEX1^M&ItVm6*-o)IQnP-"
    "2v(8_+*T0&x@;T+CH*@Khvn|4O3!@x&J>a;ZMfrAn+}BK)-"
    "IJzDd}rTr9lsJ&?3Mw+F5B7oMiPSGCD~23lQJ&_oixyme}=bpuv!kqJB@pkPQ1=vTL%e$m8Nx3Q)S$yoI9PI&P_46O==C5`r8WH{C6U45zx<<up|"
    ";zHCe)F&jLyEMKzfpmXcaC#G%VxX;E{y32%yk`@Gw^w{xqGMDLpqIyrR^za?M1*mdwF=-n1=_hffR>qED;<y*)WvC*xr#QhXGVI`-"
    "^1F^=|01{{>HHO5|ru}|@$wqms*wYe_f?8@RUWymGp!W8}ji`((Jxa8Khv)Ay?=r8E>h`2PC1OT9`?fo+M}8zalC$IhwDcdA$C7<CSyI@2N)pYL("
    "`%^@&vzF-{FCSb@&LI5bG}OA9ase5cDN4us<b~=_y0nF5{VHZ8G*#h)9ykdK&*)&EA1%k=gSX88^w@lL-"
    "a`xb$n98?U0Bs_XvrMXq5v53BaHuD$4K1Zv_zIgt}SP)OMWD6esQiA(3}N#7B~wxH3T4)=K%3v$72UM0SRU4hezKE+qU#aPs&hFaZb*Y5~HR!Nef"
    "~@IT}t6{i"
)

_BRUTE = (
    "c-lRbq0{6x48=u`h?IB=JqL}Ajg5_igFoCqt9WrpNv6=)<cP@;&!Nu!p0nFY#%s&c)6<i(mMnKm-STbm{`LK~q>bKkS-"
    "9BDIN5yf7W=;0zRqS?nk(Ml{`?n!74=$unY~tg{rKaj`AeSZ;yAr;n4x_b_z<lZ$l<xWJ)6lscF)5T@AP`R-"
    "=6NprQgb^7~PZ=;#dLhVBWrMX{H(K;DSS5Ach&r3~3stc9~uH%rM#1MV7T87WYB<C#zj)c^#I8QItN9caEVN!%aY5zWEc65_Osw-qX=)EO_1nebx"
    ")IN#f#_B_HPul{@yQ4(#Q&fd2!uGvQybD}(MQeF&Y(HlN||+8op$0TJ>n=B<0^l*m=+MU?@htU?iash1WQJ9;SRpzM|Ia4RK?SC3hhWhskBv8z@u"
    "hJG|5&zUZvJ@tUGe|J42!;iQot>LjD(n7-"
    "lO7)OMq1d9k8zIeRVP~se5UqK&7Rn)1^xbO2@i2JWgSNXnQTc_^DG4)P7rxswKcaoYF<qaQ_(e<B>l2-"
    "~>>6Mccr&6!h_q+w`sCh%Y63@kiP^SwB?kVoe;%(b5iFU$T_4uINk1d?=FIUndP)A5p}RwFd+Cu=xWY>gOzDed{@tvt%F||<tj6!J%D&8lEc|{;<"
    "M^+wwvKgp#`~~i6w}inR7~ooZ*`Sb?ChG2L_wzsMfZsTOD0Rxvod{Y-lm;Eo_2-"
    "}f!kSU{fWU6U)~wcUacz2iXamKJ1l;JD*Ikn^#g#cyIJY9pIp@=G=PtArZ4W~k>)}6jK6#}E8^n^U`??FUW@VAg<+fZAwR1WZx|_;4}lyzFLcVxI"
    "1K83B6AB(oGGhJ_VYkBI}=-7YyLEVRyVBlVxmdc)d4%A=x2REU0#fIxuqCrD1Yqg&o?RQDB)0RdQ-"
    "`tioaZPQnR!UPcc^Ezr+aR=A(;Ml(O+>=7$ha+`{n{WYhO9$0N2C&e#z0NatVWOtQw~1HwWBBBlLrcqes9CR=+5S$UFS%~;Cg@AdJPSEws<BD7jU"
    "bd8FuHAy2R0a+_$X3i=xF6;(uP9X6wMono&a`DxJuNXzLq_DG;z#y9a2C^n{L;"
)

_digits = np.arange(STATES)[:, None] // 3 ** np.arange(SQUARES) % 3
_mirrored = (_digits[:, ::-1] * 3 ** np.arange(SQUARES)).sum(axis=1)
_swapped = (np.array([0, 2, 1])[_digits] * 3 ** np.arange(SQUARES)).sum(axis=1)
_smallest = np.minimum(np.arange(STATES), _mirrored)
_kinds = np.flatnonzero(np.minimum(_smallest, _smallest[_swapped]) == np.arange(STATES))


def _unpacked(text: str) -> npt.NDArray[np.int64]:
    """Return the values of all states from the stored values. An edge with swapped colours has the negative value."""
    stored_values = np.frombuffer(zlib.decompress(base64.b85decode(text)), np.int8)
    values = np.zeros(STATES, np.int64)
    for states, sign in (
        (_kinds, 1),
        (_mirrored[_kinds], 1),
        (_swapped[_kinds], -1),
        (_swapped[_mirrored[_kinds]], -1),
    ):
        values[states] = sign * stored_values
    return values


EDGE_VALUES = np.stack([_unpacked(_PROBABLE), _unpacked(_BRUTE)])
"""Values of edges, by table and by state of the edge. A state is the sum of digit · 3^square over the squares, with
digit 0 (empty), 1 (own) or 2 (opponent's)."""

TERNARY = (np.arange(256)[:, None] >> np.arange(SQUARES) & 1) @ 3 ** np.arange(SQUARES)
"""For each byte, the number with the byte's bits as digits in base 3."""
